package frames

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// frameNavigated commits a document.
func (r *Registry) frameNavigated(s target.SessionID, e *page.EventFrameNavigated) bool {
	f := e.Frame
	if f == nil {
		return false
	}
	n := r.nodes[f.ID]
	switch {
	case n == nil: // its frameAttached was before Page.enable
		parent := r.nodes[f.ParentID]
		if parent == nil || parent.Session != s || f.ID == "" || slices.Contains(r.removed, f.ID) {
			return false
		}
		n = r.insert(s, f.ID, parent)
	case n.Session != s:
		if r.sessions[s].root != n.ID {
			return false
		}
		n.host(s)
	}
	restore := e.Type == page.NavigationTypeBackForwardCacheRestore
	switch {
	case n != r.root:
		r.removeChildren(n)
	case restore:
		r.restore(f.LoaderID)
	default:
		r.shelve()
	}
	n.show(f)
	n.Navigations++
	n.SameDocument, n.Requested = false, false
	if restore { // under the loader it had before, not under the one that was pending; and its marks do not come again
		n.Marks = restored
		n.Pending = ""
	}
	if n.Pending == f.LoaderID {
		n.Pending = ""
	}
	n.Started = n.Pending != ""
	return true
}

// show makes f the document of n.
func (n *node) show(f *cdp.Frame) {
	early := n.takeEarly(f.LoaderID)
	if n.Loader != f.LoaderID {
		n.Loader, n.Marks = f.LoaderID, 0
	}
	n.Marks |= early | Commit.bit()
	n.URL, n.Name, n.UnreachableURL = f.URL+f.URLFragment, f.Name, f.UnreachableURL
}

func (r *Registry) navigatedWithin(s target.SessionID, e *page.EventNavigatedWithinDocument) bool {
	n := r.hosted(s, e.FrameID)
	if n == nil {
		return false
	}
	n.URL = e.URL
	n.Navigations++
	n.SameDocument, n.Requested = true, false
	n.Started = n.Pending != "" // a new document may be on its way all the same
	return true
}

// documentOpened tells of document.open, which gives the document the URL of whoever called it. It is no navigation; init follows, and the marks of
// the loader come again.
func (r *Registry) documentOpened(s target.SessionID, e *page.EventDocumentOpened) bool {
	if e.Frame == nil {
		return false
	}
	n := r.hosted(s, e.Frame.ID)
	if n == nil {
		return false
	}
	n.URL = e.Frame.URL + e.Frame.URLFragment
	return true
}

// requested comes from the session of whoever asked, which need not host the frame.
func (r *Registry) requested(e *page.EventFrameRequestedNavigation) bool {
	n := r.nodes[e.FrameID]
	if n == nil || e.Disposition != page.ClientNavigationDispositionCurrentTab {
		return false
	}
	n.Requested = true
	return true
}

// dialogClosed sees a beforeunload dialog that kept the page: the navigation that was asked for is off, and nothing else tells so.
func (r *Registry) dialogClosed(e *page.EventJavascriptDialogClosed) bool {
	n := r.nodes[e.FrameID]
	if n == nil || e.Result || !n.Requested {
		return false
	}
	n.Requested = false
	return true
}

// started begins a navigation. For one within the document Chrome names a loader that will not be committed.
func (r *Registry) started(s target.SessionID, e *page.EventFrameStartedNavigating) bool {
	n := r.hosted(s, e.FrameID)
	if n == nil {
		return false
	}
	n.Requested, n.Started = false, true
	switch e.NavigationType {
	case page.FrameStartedNavigatingNavigationTypeSameDocument, page.FrameStartedNavigatingNavigationTypeHistorySameDocument:
	default:
		n.Pending = e.LoaderID
	}
	return true
}

// loading follows the throbber. It stops once nothing is under way any more, and that is all that is said of a navigation that ends without a
// document.
func (r *Registry) loading(s target.SessionID, id cdp.FrameID, on bool) bool {
	n := r.hosted(s, id)
	if n == nil {
		return false
	}
	n.Loading = on
	if !on {
		n.Pending, n.Started = "", false
	}
	return true
}
