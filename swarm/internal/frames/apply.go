package frames

import (
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// Apply takes one event of session s, in the order Chrome sent them. Events of sessions, frames and methods it does not know, and parameters it
// cannot read, are ignored.
//
// It reads Target.attachedToTarget and detachedFromTarget; Page.frame*, navigatedWithinDocument, documentOpened, lifecycleEvent and
// javascriptDialogClosed; Runtime.executionContext*; Inspector.targetCrashed.
func (r *Registry) Apply(s target.SessionID, method string, params jsonv2.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.sessions[s]; !ok {
		return
	}
	if r.apply(s, method, params) {
		r.wake()
	}
}

// apply reports whether the event changed what a View shows.
func (r *Registry) apply(s target.SessionID, method string, params jsonv2.Value) bool {
	switch method {
	case target.AttachedToTarget.Method:
		return on(params, func(e *target.EventAttachedToTarget) bool { return r.attached(s, e) })
	case target.DetachedFromTarget.Method:
		return on(params, func(e *target.EventDetachedFromTarget) bool { return r.detach(e.SessionID) })
	case page.FrameAttached.Method:
		return on(params, func(e *page.EventFrameAttached) bool { return r.frameAttached(s, e) })
	case page.FrameDetached.Method:
		return on(params, func(e *page.EventFrameDetached) bool { return r.frameDetached(s, e) })
	case page.FrameNavigated.Method:
		return on(params, func(e *page.EventFrameNavigated) bool { return r.frameNavigated(s, e) })
	case page.NavigatedWithinDocument.Method:
		return on(params, func(e *page.EventNavigatedWithinDocument) bool { return r.navigatedWithin(s, e) })
	case page.DocumentOpened.Method:
		return on(params, func(e *page.EventDocumentOpened) bool { return r.documentOpened(s, e) })
	case page.FrameRequestedNavigation.Method:
		return on(params, r.requested)
	case page.FrameStartedNavigating.Method:
		return on(params, func(e *page.EventFrameStartedNavigating) bool { return r.started(s, e) })
	case page.FrameStartedLoading.Method:
		return on(params, func(e *page.EventFrameStartedLoading) bool { return r.loading(s, e.FrameID, true) })
	case page.FrameStoppedLoading.Method:
		return on(params, func(e *page.EventFrameStoppedLoading) bool { return r.loading(s, e.FrameID, false) })
	case page.LifecycleEvent.Method:
		return on(params, func(e *page.EventLifecycleEvent) bool {
			n := r.hosted(s, e.FrameID)
			return n != nil && n.mark(e.LoaderID, Mark(e.Name))
		})
	case page.JavascriptDialogClosed.Method:
		return on(params, r.dialogClosed)
	case runtime.ExecutionContextCreated.Method:
		return on(params, func(e *runtime.EventExecutionContextCreated) bool { return r.contextCreated(s, e) })
	case runtime.ExecutionContextDestroyed.Method:
		return on(params, func(e *runtime.EventExecutionContextDestroyed) bool {
			return r.dropContexts(func(n *node, id string) bool { return id == e.ExecutionContextUniqueID })
		})
	case runtime.ExecutionContextsCleared.Method, inspector.TargetCrashed.Method:
		return r.dropContexts(func(n *node, _ string) bool { return n.Session == s })
	}
	return false
}

// on decodes params for f. A frame's URL may hold any bytes.
func on[E any](params jsonv2.Value, f func(*E) bool) bool {
	var e E
	if jsonv2.Unmarshal(params, &e, jsonv2.AllowInvalidUTF8(true)) != nil {
		return false
	}
	return f(&e)
}

// attached begins a child session: the frame whose id is the target's has moved to a process of its own.
func (r *Registry) attached(s target.SessionID, e *target.EventAttachedToTarget) bool {
	t := e.TargetInfo
	if t == nil || t.Type != "iframe" || e.SessionID == "" {
		return false
	}
	if _, ok := r.sessions[e.SessionID]; ok {
		return false
	}
	id := cdp.FrameID(t.TargetID)
	n := r.nodes[id]
	if n == nil {
		parent := r.nodes[t.ParentFrameID]
		if parent == nil { // not seen yet; Seed or frameAttached will put it right
			parent = r.nodes[r.sessions[s].root]
		}
		if parent == nil || id == "" {
			return false
		}
		n = r.insert(e.SessionID, id, parent)
		n.URL = t.URL
	}
	if n == r.root {
		return false
	}
	r.sessions[e.SessionID] = session{root: id, parent: s}
	n.host(e.SessionID)
	return true
}

// detach ends a session and those below it. Its root frame stays in the tree without a host of its own: when a frame moves back to its parent's
// process, the session ends first, and frameAttached follows; when it is gone, its parent's session says so with frameDetached.
func (r *Registry) detach(s target.SessionID) bool {
	ended, ok := r.sessions[s]
	if !ok {
		return false
	}
	delete(r.sessions, s)
	for child, c := range r.sessions {
		if c.parent == s {
			r.detach(child)
		}
	}
	root := r.nodes[ended.root]
	switch {
	case root == nil || root.Session != s:
	case root == r.root:
		r.remove(root)
	default:
		r.removeChildren(root)
		root.host(root.parent.Session)
	}
	r.removeHostedBy(s)
	return true
}

// removeHostedBy removes what is left of an ended session when its root frame has moved on.
func (r *Registry) removeHostedBy(s target.SessionID) {
	for _, n := range r.nodes {
		if n.Session == s {
			r.remove(n)
		}
	}
}

// frameAttached tells of a new frame, or of one that is back in the process of its parent.
func (r *Registry) frameAttached(s target.SessionID, e *page.EventFrameAttached) bool {
	parent := r.nodes[e.ParentFrameID]
	if parent == nil || parent.Session != s || e.FrameID == "" {
		return false
	}
	n := r.nodes[e.FrameID]
	if n == nil {
		r.insert(s, e.FrameID, parent)
		return true
	}
	if parent.within(n) {
		return false
	}
	if n.parent != parent {
		n.unhang()
		n.hang(parent)
	}
	n.host(s)
	return true
}

// frameDetached removes a frame. One that is swapped out lives on in another process, whose session comes before or after; what its old process
// had for it is gone.
func (r *Registry) frameDetached(s target.SessionID, e *page.EventFrameDetached) bool {
	n := r.nodes[e.FrameID]
	if n == nil || n.parent == nil || n.Session != s && n.parent.Session != s {
		return false
	}
	if r.sessions[s].root == n.ID { // a session does not decide on its own root
		return false
	}
	if e.Reason == page.FrameDetachedReasonSwap {
		if n.Session == s {
			n.MainContext, n.WorldContext = "", ""
		}
		return true
	}
	r.remove(n)
	return true
}

// dropContexts forgets the contexts that gone picks.
func (r *Registry) dropContexts(gone func(n *node, id string) bool) (changed bool) {
	drop := func(n *node, id *string) {
		if *id != "" && gone(n, *id) {
			*id, changed = "", true
		}
	}
	for _, n := range r.nodes {
		drop(n, &n.MainContext)
		drop(n, &n.WorldContext)
	}
	for _, n := range r.strays {
		drop(n, &n.MainContext)
		drop(n, &n.WorldContext)
	}
	return changed
}

// contextCreated keeps the contexts a caller may want of a frame; those of extensions and other worlds are not.
func (r *Registry) contextCreated(s target.SessionID, e *runtime.EventExecutionContextCreated) bool {
	if e.Context == nil {
		return false
	}
	return on(e.Context.AuxData, func(aux *struct {
		FrameID   cdp.FrameID `json:"frameId"`
		IsDefault bool        `json:"isDefault"`
	}) bool {
		if !aux.IsDefault && e.Context.Name != r.world {
			return false
		}
		n := r.hosted(s, aux.FrameID)
		switch {
		case n == nil:
			return false
		case aux.IsDefault:
			n.MainContext = e.Context.UniqueID
		default:
			n.WorldContext = e.Context.UniqueID
		}
		return true
	})
}
