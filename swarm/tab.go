package swarm

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/frames"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/pool"
)

// Tab is a lease: one page that belongs to one caller until Release, or until
// it crashes, is reclaimed or the manager closes. All methods are safe for
// concurrent use; those that navigate or send input take turns.
//
// Errors of every method that talks to the page: PAGE_NOT_FOUND when the lease
// is over, TAB_CRASHED when the page died, BROWSER_UNAVAILABLE when the browser
// did, TIMEOUT_ERROR and CANCELLED as the context says.
type Tab struct {
	manager *BrowserManager
	browser *browser
	log     *slog.Logger

	targetID target.ID
	session  *cdp.Session
	frames   *frames.Registry
	setup    []*cdp.Pending // the commands that set the page up
	context  protocdp.BrowserContextID

	// downloads has room for the last file that the browser was offered.
	downloads chan Download
	// turn is the input lock: who holds its one token navigates or acts.
	turn chan struct{}
	// ended is closed when the lease is over; why is set then.
	ended chan struct{}

	// Set once when the tab is leased, under the manager's lock and before
	// anybody else knows the tab.
	id, owner string
	opener    *Tab
	slot      *pool.Lease[*Tab] // nil for a tab that another one opened
	since     time.Time

	mu       sync.Mutex // guards everything below
	why      *Error
	calls    int
	lastUsed time.Time
	popups   []*Tab
	dialogs  []answered
	response response // of the last document
	verdicts map[int64]chan engine.Verdict
	actions  int64 // ids of actions
	// serializers are the page-side functions of runner, by context.
	serializers map[string]runtime.RemoteObjectID
}

// response is what the network said of a document.
type response struct {
	loader protocdp.LoaderID
	status int
}

func newTab(b *browser, info *target.Info, session target.SessionID) *Tab {
	t := &Tab{
		manager:   b.manager,
		browser:   b,
		log:       b.log,
		targetID:  info.TargetID,
		context:   info.BrowserContextID,
		session:   b.conn.Session(session),
		frames:    frames.New(engine.World),
		turn:      make(chan struct{}, 1),
		downloads: make(chan Download, 1),
		ended:     make(chan struct{}),
		verdicts:  make(map[int64]chan engine.Verdict),
	}
	t.frames.Attach(session, protocdp.FrameID(info.TargetID))
	return t
}

// ID is the tab's id, "tab-7". It is never used for another tab.
func (t *Tab) ID() string { return t.id }

// Owner is who leased the tab.
func (t *Tab) Owner() string { return t.owner }

// URL is the address of the tab's document, fragment included. It asks the
// browser nothing.
func (t *Tab) URL() string {
	main, _ := t.frames.Main()
	return main.URL
}

// Opener is the tab that opened this one, nil for one that was leased.
func (t *Tab) Opener() *Tab { return t.opener }

// MainFrame is the tab's top frame.
func (t *Tab) MainFrame() *Frame { return &Frame{tab: t, id: protocdp.FrameID(t.targetID)} }

// Frame returns the frame with that id, as Frame.ID and frame_id have it.
// Error: FRAME_NOT_FOUND.
func (t *Tab) Frame(id string) (*Frame, error) {
	f := &Frame{tab: t, id: protocdp.FrameID(id)}
	if _, ok := t.frames.Frame(f.id); !ok {
		if why := t.over(); why != nil {
			return nil, why
		}
		return nil, f.notFound("frame")
	}
	return f, nil
}

// Frames lists the tab's frames, parents before their children.
func (t *Tab) Frames() []*Frame {
	all := t.frames.Frames()
	list := make([]*Frame, len(all))
	for i, f := range all {
		list[i] = &Frame{tab: t, id: f.ID}
	}
	return list
}

// Locator names elements of the main frame; see Frame.Locator.
func (t *Tab) Locator(selector string) Locator { return t.MainFrame().Locator(selector) }

// Evaluate runs a script in the main frame; see Frame.Evaluate.
func (t *Tab) Evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	return t.MainFrame().Evaluate(ctx, script)
}

// CDP is the page's own session, for commands that this package has no method
// for. What they change is the caller's business: Page, Runtime and the
// isolated world named "swarm" must be left enabled.
func (t *Tab) CDP() protocdp.Session { return t.session }

// TakeDialogs returns the dialogs answered since it was called last, oldest
// first and at most the last 20, and forgets them.
func (t *Tab) TakeDialogs() []Dialog {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.dialogs
	t.dialogs = nil
	return dialogsOf(taken)
}

// takeDialogsSince is TakeDialogs for those answered since a moment.
func (t *Tab) takeDialogsSince(moment time.Time) []Dialog {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.dialogs, func(d answered) bool { return d.at.After(moment) })
	if i < 0 {
		return nil
	}
	taken := t.dialogs[i:]
	t.dialogs = t.dialogs[:i:i]
	return dialogsOf(taken)
}

// answered is a dialog and when it was answered.
type answered struct {
	Dialog
	at time.Time
}

func dialogsOf(taken []answered) []Dialog {
	var dialogs []Dialog
	for _, d := range taken {
		dialogs = append(dialogs, d.Dialog)
	}
	return dialogs
}

// Release ends the lease. The page, its browser context and the tabs it opened
// are thrown away in the background, and calls still running on it fail with
// PAGE_NOT_FOUND. A second Release does nothing.
func (t *Tab) Release() {
	t.end(&Error{Type: PageNotFound, Op: "tab", TabID: t.id,
		Message: t.id + " was released; navigate without tabId leases a new tab"})
}

// lease makes a warm tab a leased one; false when it is dead. The manager
// holds its lock.
func (t *Tab) lease(id, owner string, slot *pool.Lease[*Tab]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why != nil || !t.browser.alive() {
		return false
	}
	now := time.Now()
	t.id, t.owner, t.slot, t.since, t.lastUsed = id, owner, slot, now, now
	return true
}

// end ends the lease for the reason, at once: whatever runs on the tab fails
// with it. It waits for nothing, so that the event loop may call it. The first
// reason counts.
func (t *Tab) end(why *Error) {
	t.mu.Lock()
	if t.why != nil {
		t.mu.Unlock()
		return
	}
	if why.TabID == "" && t.id != "" {
		named := *why
		named.TabID = t.id
		why = &named
	}
	t.why = why
	popups := t.popups
	t.popups = nil
	t.mu.Unlock()
	close(t.ended)

	for _, popup := range popups {
		popup.end(why)
	}
	t.session.Close(why)
	t.frames.Fail(why)
	t.browser.remove(t)
	t.manager.forget(t, why)
	switch {
	case t.slot != nil:
		t.slot.Release() // The pool disposes of the tab and makes another.
	case t.opener != nil:
		t.opener.closed(t)
		t.browser.closeTarget(t.targetID)
	default:
		t.manager.tabs.Discard(func(idle *Tab) bool { return idle == t })
	}
}

// dispose throws the page away, and what it opened, for good. The pool calls it.
func (t *Tab) dispose() {
	t.end(&Error{Type: PageNotFound, Op: "tab", TabID: t.id, Message: "the tab was disposed of"})
	if !t.browser.alive() {
		return
	}
	if t.browser.config.Isolation == IsolationContext {
		t.browser.disposeContext(t.context)
	} else {
		t.browser.closeTarget(t.targetID)
	}
}

// over is why the lease ended, nil while it holds.
func (t *Tab) over() *Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// lastWord is why the lease ended; when the connection has only just gone, the
// reason is known a moment later than the calls on it fail.
func (t *Tab) lastWord() *Error {
	select {
	case <-t.ended:
	case <-time.After(2 * time.Second):
	}
	return t.over()
}

// begin starts a call: it fails when the lease is over, marks the tab as in
// use, and gives the context the default timeout when it has no deadline. The
// caller must call the returned func at the end.
func (t *Tab) begin(ctx context.Context, timeout time.Duration) (context.Context, func(), error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why != nil {
		return nil, nil, t.why
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	cancel := func() {}
	if _, has := ctx.Deadline(); !has {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	t.calls++
	return ctx, func() {
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.calls--
		t.lastUsed = time.Now()
	}, nil
}

// take waits for the tab's turn; the returned func gives it on.
func (t *Tab) take(ctx context.Context) (func(), error) {
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	default:
	}
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	case <-t.ended:
		return nil, t.over()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the call before on the same tab to end: %w", context.Cause(ctx))
	}
}

// idleFor is how long no call has touched the lease; 0 while one runs. A tab
// whose popups are in use is in use.
func (t *Tab) idleFor(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls > 0 || t.opener != nil {
		return 0
	}
	idle := now.Sub(t.lastUsed)
	for _, popup := range t.popups {
		popup.mu.Lock()
		if popup.calls > 0 {
			idle = 0
		}
		idle = min(idle, now.Sub(popup.lastUsed))
		popup.mu.Unlock()
	}
	return idle
}

func (t *Tab) status() LeaseStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := LeaseStatus{TabID: t.id, Owner: t.owner, URL: t.URL(), Since: t.since, LastUsed: t.lastUsed}
	if t.opener != nil {
		s.Opener = t.opener.id
	}
	if t.calls > 0 {
		s.LastUsed = time.Now()
	}
	return s
}

// opened takes in a tab that this one opened; one that comes after the end of
// the lease is closed.
func (t *Tab) opened(popup *Tab) {
	root := t
	if t.opener != nil {
		root = t.opener // All popups hang on the lease itself.
	}
	t.manager.adopt(popup, root)
	root.mu.Lock()
	over := root.why
	if over == nil {
		root.popups = append(root.popups, popup)
	}
	root.mu.Unlock()
	if over != nil {
		popup.end(over)
	}
	t.log.Debug("a tab was opened", "tab", popup.id, "opener", t.id)
}

// closed forgets a tab that the lease opened.
func (t *Tab) closed(popup *Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.popups = slices.DeleteFunc(t.popups, func(p *Tab) bool { return p == popup })
}

// popupIDs are the ids of the tabs that the lease opened and that are open.
func (t *Tab) popupIDs() []string {
	root := t
	if t.opener != nil {
		root = t.opener
	}
	root.mu.Lock()
	defer root.mu.Unlock()
	var ids []string
	for _, p := range root.popups {
		ids = append(ids, p.id)
	}
	return ids
}

// newIDs are those of now that were not there before.
func newIDs(before, now []string) []string {
	return slices.DeleteFunc(now, func(id string) bool { return slices.Contains(before, id) })
}
