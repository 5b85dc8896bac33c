package frames

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
)

// maxShelved is above the six pages that Chrome's back/forward cache holds.
const maxShelved = 8

// shelved is what hung below the main frame when it left the document of loader. A page restored from the back/forward cache has these frames again,
// and Chrome does not announce them: it tells only of their contexts, before it tells of the page, and of the sessions of those in other processes.
type shelved struct {
	loader   cdp.LoaderID
	children []*node
}

// shelve takes the frames of the document that the main frame is leaving out of the tree, and keeps them for its return.
func (r *Registry) shelve() {
	left := slices.Clone(r.root.children)
	r.removeChildren(r.root)
	if len(left) == 0 || r.root.Loader == "" {
		return
	}
	for _, n := range left {
		n.blank()
	}
	r.shelf = newest(append(r.shelf, shelved{r.root.Loader, left}), maxShelved)
}

// blank drops what does not survive the back/forward cache.
func (n *node) blank() {
	n.MainContext, n.WorldContext = "", ""
	n.Pending, n.Requested, n.Started, n.Loading = "", false, false, false
	n.early = nil
	for _, c := range n.children {
		c.blank()
	}
}

// restore exchanges the frames below the main frame for those that the document of loader had when it was left.
func (r *Registry) restore(loader cdp.LoaderID) {
	var back []*node
	if i := slices.IndexFunc(r.shelf, func(s shelved) bool { return s.loader == loader }); i >= 0 {
		back = r.shelf[i].children
		r.shelf = slices.Delete(r.shelf, i, i+1)
	}
	live := make(map[cdp.FrameID]*node) // already there, by a session of their own
	for _, n := range back {
		if l := r.nodes[n.ID]; l != nil && l.parent == r.root {
			l.unhang()
			delete(r.nodes, l.ID)
			live[l.ID] = l
		}
	}
	r.shelve()
	for _, n := range back {
		r.reinstate(n, r.root, live[n.ID])
	}
}

// reinstate hangs a shelved frame and everything below it under parent again. live is what has been learned of it meanwhile; nil to look among the
// strays.
func (r *Registry) reinstate(n, parent, live *node) {
	if r.nodes[n.ID] != nil {
		return
	}
	if _, ok := r.sessions[n.Session]; !ok {
		n.Session = parent.Session
	}
	if live == nil {
		live = r.adopt(n.Session, n.ID)
	}
	n.Session, n.MainContext, n.WorldContext = live.Session, live.MainContext, live.WorldContext
	r.enter(n)
	n.hang(parent)
	below := n.children
	n.children = nil
	for _, c := range live.children {
		c.hang(n)
	}
	for _, c := range below {
		r.reinstate(c, n, nil)
	}
}
