package frames

import (
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// Registry is the frame tree of one tab. Make it with [New].
type Registry struct {
	world string

	mu       sync.Mutex
	sessions map[target.SessionID]session
	nodes    map[cdp.FrameID]*node // the tree
	root     *node                 // the main frame; nil before Attach and after its session is gone
	strays   []*node               // frames that events speak of and that are not in the tree (yet), oldest first
	removed  []cdp.FrameID         // frames removed last, oldest first: what arrives late does not bring them back
	shelf    []shelved             // documents the main frame has left, oldest first
	waiters  map[*waiter]struct{}
	failed   error
}

// session is an attached target of type page or iframe.
type session struct {
	root   cdp.FrameID
	parent target.SessionID // "" for the tab's own
}

// New returns an empty registry. world is the name of the isolated world whose context it keeps as [Frame.WorldContext].
func New(world string) *Registry {
	return &Registry{
		world:    world,
		sessions: make(map[target.SessionID]session),
		nodes:    make(map[cdp.FrameID]*node),
		waiters:  make(map[*waiter]struct{}),
	}
}

// Attach tells the registry of the tab's own session and its main frame, whose id is the id of the page target. Call it before the first event of
// the session is applied. Child sessions are learned from Target.attachedToTarget.
func (r *Registry) Attach(s target.SessionID, root cdp.FrameID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions[s] = session{root: root}
	r.plant(s, root)
	r.wake()
}

// Detach says that a session is over, as Target.detachedFromTarget of it does: the frames it hosts are gone.
func (r *Registry) Detach(s target.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.detach(s) {
		r.wake()
	}
}

// Seed merges the result of Page.getFrameTree on s, for frames that were there before Page.enable: those of a popup or of a tab attached to late.
// What events have told since the command was answered is not undone.
func (r *Registry) Seed(s target.SessionID, tree *page.FrameTree) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.sessions[s]; !ok || tree == nil {
		return
	}
	r.seed(s, tree)
	r.wake()
}

// Main returns the main frame; false when the tab's session is not attached.
func (r *Registry) Main() (Frame, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.main()
}

// Frame returns the frame with that id; false when it does not exist, or no longer.
func (r *Registry) Frame(id cdp.FrameID) (Frame, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frame(id)
}

// Frames returns every frame, parents before their children and siblings in the order they were attached.
func (r *Registry) Frames() []Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list()
}

func (r *Registry) main() (Frame, bool) {
	if r.root == nil {
		return Frame{}, false
	}
	return r.root.Frame, true
}

func (r *Registry) frame(id cdp.FrameID) (Frame, bool) {
	n, ok := r.nodes[id]
	if !ok {
		return Frame{}, false
	}
	return n.Frame, true
}

func (r *Registry) list() []Frame {
	if r.root == nil {
		return nil
	}
	return r.root.appendTree(make([]Frame, 0, len(r.nodes)))
}

func (r *Registry) seed(s target.SessionID, tree *page.FrameTree) {
	f := tree.Frame
	if f == nil {
		return
	}
	n := r.nodes[f.ID]
	if n == nil {
		parent := r.nodes[f.ParentID]
		if parent == nil || parent.Session != s || slices.Contains(r.removed, f.ID) {
			return
		}
		n = r.insert(s, f.ID, parent)
	}
	if n.Session != s {
		return
	}
	if n.Navigations == 0 {
		n.show(f)
	} else if n.Loader != f.LoaderID {
		return // the tree is of a document that is gone
	}
	for _, c := range tree.ChildFrames {
		if c != nil {
			r.seed(s, c)
		}
	}
}
