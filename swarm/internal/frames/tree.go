package frames

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// What is kept of things that may never come to be used, so that a tab that lives long does not grow.
const (
	maxEarly   = 4  // loaders of a frame that have marks but no commit
	maxStrays  = 32 // frames spoken of outside the tree
	maxRemoved = 64 // ids of frames removed last
)

// node is a frame in the tree, a stray, or a shelved one.
type node struct {
	Frame
	parent   *node
	children []*node
	early    []reached
}

// reached holds the marks of a loader that has not committed: Chrome sends init before frameNavigated.
type reached struct {
	loader cdp.LoaderID
	marks  Marks
}

func (n *node) appendTree(to []Frame) []Frame {
	to = append(to, n.Frame)
	for _, c := range n.children {
		to = c.appendTree(to)
	}
	return to
}

// within reports whether n is a or below it.
func (n *node) within(a *node) bool {
	for ; n != nil; n = n.parent {
		if n == a {
			return true
		}
	}
	return false
}

// host moves n to session s, where its old contexts mean nothing.
func (n *node) host(s target.SessionID) {
	if n.Session != s {
		n.Session = s
		n.MainContext, n.WorldContext = "", ""
	}
}

// mark notes that a document of n has reached m, and reports whether that changed its snapshot.
func (n *node) mark(loader cdp.LoaderID, m Mark) bool {
	bit := m.bit()
	if bit == 0 || loader == "" {
		return false
	}
	if n.Loader == "" { // the initial empty document is never committed by an event
		n.Loader, n.Marks = loader, n.takeEarly(loader)
	}
	if loader != n.Loader {
		n.markEarly(loader, bit)
		return false
	}
	before := n.Marks
	if m == Init { // on a document that has marks it means document.open
		n.Marks &= kept
	}
	n.Marks |= bit
	return n.Marks != before
}

func (n *node) markEarly(loader cdp.LoaderID, bit Marks) {
	for i := range n.early {
		if n.early[i].loader == loader {
			n.early[i].marks |= bit
			return
		}
	}
	n.early = newest(append(n.early, reached{loader, bit}), maxEarly)
}

func (n *node) takeEarly(loader cdp.LoaderID) Marks {
	for i, e := range n.early {
		if e.loader == loader {
			n.early = slices.Delete(n.early, i, i+1)
			return e.marks
		}
	}
	return 0
}

// newest drops the oldest elements of s beyond limit.
func newest[E any](s []E, limit int) []E {
	if over := len(s) - limit; over > 0 {
		return slices.Delete(s, 0, over)
	}
	return s
}

// plant makes id the main frame. A different one it replaces goes with everything below it.
func (r *Registry) plant(s target.SessionID, id cdp.FrameID) {
	if r.root != nil && r.root.ID != id {
		r.remove(r.root)
	}
	if r.root == nil {
		r.root = r.adopt(s, id)
		r.enter(r.root)
	}
	r.root.host(s)
}

// insert puts a frame hosted by s below parent.
func (r *Registry) insert(s target.SessionID, id cdp.FrameID, parent *node) *node {
	n := r.adopt(s, id)
	r.enter(n)
	n.hang(parent)
	return n
}

func (r *Registry) enter(n *node) {
	r.nodes[n.ID] = n
	r.removed = slices.DeleteFunc(r.removed, func(id cdp.FrameID) bool { return id == n.ID })
}

func (n *node) hang(parent *node) {
	n.parent, n.Parent = parent, parent.ID
	parent.children = append(parent.children, n)
}

func (n *node) unhang() {
	if n.parent == nil {
		return
	}
	n.parent.children = slices.DeleteFunc(n.parent.children, func(c *node) bool { return c == n })
	n.parent, n.Parent = nil, ""
}

// adopt makes a node of what s has told of id so far. Every frame begins with an empty document.
func (r *Registry) adopt(s target.SessionID, id cdp.FrameID) *node {
	for i, n := range r.strays {
		if n.ID == id {
			r.strays = slices.Delete(r.strays, i, i+1)
			if n.Session == s {
				return n
			}
			break
		}
	}
	return newNode(s, id)
}

func newNode(s target.SessionID, id cdp.FrameID) *node {
	return &node{Frame: Frame{ID: id, Session: s, URL: "about:blank"}}
}

// hosted returns the frame with that id if s hosts it, else nil. What s tells of a frame that is not in the tree is kept on a stray: a context or
// a mark can come before the frame does, from Seed or from the back/forward cache.
func (r *Registry) hosted(s target.SessionID, id cdp.FrameID) *node {
	if id == "" {
		return nil
	}
	if n, ok := r.nodes[id]; ok {
		if n.Session != s {
			return nil
		}
		return n
	}
	for _, n := range r.strays {
		if n.ID == id {
			if n.Session != s {
				*n = *newNode(s, id)
			}
			return n
		}
	}
	n := newNode(s, id)
	r.strays = newest(append(r.strays, n), maxStrays)
	return n
}

// remove takes n and everything below it out of the tree, and forgets the sessions that were theirs.
func (r *Registry) remove(n *node) {
	n.unhang()
	r.forget(n)
	if n == r.root {
		r.root = nil
	}
}

func (r *Registry) forget(n *node) {
	delete(r.nodes, n.ID)
	r.removed = newest(append(r.removed, n.ID), maxRemoved)
	if s := r.sessions[n.Session]; s.root == n.ID && s.parent != "" {
		delete(r.sessions, n.Session)
		for id, child := range r.sessions { // of a frame that has moved elsewhere
			if child.parent == n.Session {
				child.parent = s.parent
				r.sessions[id] = child
			}
		}
	}
	for _, c := range n.children {
		r.forget(c)
	}
}

func (r *Registry) removeChildren(n *node) {
	for len(n.children) > 0 {
		r.remove(n.children[0])
	}
}
