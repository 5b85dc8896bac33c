package swarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	protocdp "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/chrome"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
)

const (
	// closeBound is how long a browser gets to close itself before it is made to.
	closeBound = 3 * time.Second
	// disposeBound is how long throwing a tab away may take.
	disposeBound = 5 * time.Second
	// certifyBound is how long a new tab may take to be alive.
	certifyBound = 10 * time.Second
)

// browser is one browser process, its connection and its tabs. It is made by
// newBrowser, started once, and over when it died or was closed; the manager
// then makes another one.
type browser struct {
	manager *BrowserManager
	config  Config
	log     *slog.Logger
	script  string // the engine

	// Set by start, constant afterwards.
	process *chrome.Process
	conn    *cdp.Conn
	product string
	started time.Time
	shell   bool // a headless shell, which has no windows

	watch  sync.WaitGroup // the watcher of the process
	closed sync.Once

	mu       sync.Mutex // guards everything below
	dead     *Error     // why it is over; nil while it lives
	sessions map[target.SessionID]*Tab
	targets  map[target.ID]*Tab
	// contexts are the browser contexts of tabs, warm ones too, by which a
	// popup finds its opener.
	contexts map[protocdp.BrowserContextID]*Tab
}

func newBrowser(m *BrowserManager) *browser {
	return &browser{
		manager:  m,
		config:   m.config,
		log:      m.log,
		script:   engine.Source(),
		sessions: make(map[target.SessionID]*Tab),
		targets:  make(map[target.ID]*Tab),
		contexts: make(map[protocdp.BrowserContextID]*Tab),
	}
}

// start finds and launches the browser and connects to it, within
// Config.StartTimeout. Its errors are BROWSER_UNAVAILABLE and say what to do.
func (b *browser) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.config.StartTimeout)
	defer cancel()
	chrome.Sweep(b.log)
	found, err := chrome.Find(chrome.FindOptions{Path: b.config.Browser, Headed: b.config.Headed})
	if err != nil {
		return &Error{Type: BrowserUnavailable, Op: "start", Message: err.Error(), Err: err}
	}
	began := time.Now()
	process, err := chrome.Launch(ctx, chrome.Options{
		Browser:           found,
		Headed:            b.config.Headed,
		Args:              b.config.BrowserArgs,
		Proxy:             b.config.Proxy,
		UserAgent:         b.config.UserAgent,
		IgnoreHTTPSErrors: b.config.IgnoreHTTPSErrors,
		WindowWidth:       b.config.Viewport.Width,
		WindowHeight:      b.config.Viewport.Height,
		Logger:            b.log,
	})
	if err != nil {
		return b.launchError(ctx, found, err)
	}
	b.process, b.product, b.shell, b.started = process, process.Version, found.HeadlessShell, time.Now()
	b.conn = cdp.New(process.Transport, cdp.Options{Logger: b.log, OnEvent: b.onEvent, OnSend: b.manager.onSend})
	if err := b.attach(ctx); err != nil {
		dead := b.launchError(ctx, found, err)
		_ = b.close(dead)
		return dead
	}
	b.watch.Go(b.watchProcess)
	b.log.Info("browser started", "browser", b.product, "path", found.Path, "pid", process.PID, "took", round(time.Since(began)))
	return nil
}

// attach asks for every page that comes into being, stopped before it runs.
func (b *browser) attach(ctx context.Context) error {
	yes := true
	_, err := protocdp.Call(ctx, b.conn.Browser(), target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach:             true,
		WaitForDebuggerOnStart: true,
		Flatten:                &yes,
		Filter:                 onlyTargets("page"),
	})
	if err != nil {
		return fmt.Errorf("attach to the browser's pages: %w", err)
	}
	return nil
}

// onlyTargets is a filter that passes one type of target.
func onlyTargets(kind string) target.Filter {
	return target.Filter{{Type: kind}, {Exclude: true}}
}

func (b *browser) launchError(ctx context.Context, found chrome.Found, err error) *Error {
	message := err.Error()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		message = "the start of " + found.Path + " was given up because the manager closed"
	case errors.Is(err, context.DeadlineExceeded):
		message = fmt.Sprintf("%s did not answer within %v of its start; `swarm-mcp doctor` tells more, --browser names another one", found.Path, b.config.StartTimeout)
	}
	return &Error{Type: BrowserUnavailable, Op: "start", Message: message, Err: err}
}

// alive reports whether the browser can be used.
func (b *browser) alive() bool { return b.over() == nil && b.conn.Err() == nil }

// over is why the browser was closed, nil while it was not.
func (b *browser) over() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead
}

// watchProcess waits for the end of the connection or of the process, whichever
// is first, and ends everything with the reason.
func (b *browser) watchProcess() {
	select {
	case <-b.process.Done():
	case <-b.conn.Done():
		// The pipe closes a moment before the process is gone; its exit says more.
		select {
		case <-b.process.Done():
		case <-time.After(time.Second):
		}
	}
	if b.over() != nil {
		return
	}
	reason := b.process.Err()
	if reason == nil {
		reason = errors.New("it closed its connection")
	}
	b.log.Warn("the browser is gone", "reason", reason, "output", b.process.Output())
	_ = b.close(&Error{Type: BrowserUnavailable, Message: fmt.Sprintf(
		"the browser died under the call (%v); its tabs are gone, the next navigate starts a new browser", reason), Err: reason})
}

// close ends the browser for the reason and waits until its process and its
// profile are gone. The first reason counts.
func (b *browser) close(reason *Error) (err error) {
	b.closed.Do(func() {
		b.mu.Lock()
		b.dead = reason
		tabs := make([]*Tab, 0, len(b.targets))
		for _, tab := range b.targets {
			tabs = append(tabs, tab)
		}
		b.mu.Unlock()
		for _, tab := range tabs {
			tab.end(reason)
		}
		b.manager.lost(b, time.Since(b.started))

		ctx, cancel := context.WithTimeout(context.Background(), closeBound)
		defer cancel()
		if b.process.Err() == nil {
			_ = b.conn.Browser().Call(ctx, protobrowser.CommandClose, nil, nil) // It may be unable to answer; Stop makes sure.
		}
		_ = b.conn.Close(reason)
		err = b.process.Stop(ctx)
	})
	return err
}

// onEvent routes the browser's events. It runs on the connection's reader and
// must not wait.
func (b *browser) onEvent(ev cdp.Event) {
	if ev.SessionID != "" {
		if tab := b.tabOf(ev.SessionID); tab != nil {
			tab.onEvent(ev)
		}
		return
	}
	switch ev.Method {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if b.decode(ev, &e) && e.TargetInfo != nil {
			b.attached(&e)
		}
	case target.DetachedFromTarget.Method:
		var e target.EventDetachedFromTarget
		if b.decode(ev, &e) {
			if tab := b.tabOf(e.SessionID); tab != nil {
				tab.end(&Error{Type: TabCrashed, TabID: tab.id, Message: "the tab was closed by its page or by the browser; the lease is over, navigate leases a new tab"})
			}
		}
	case protobrowser.DownloadWillBegin.Method:
		var e protobrowser.EventDownloadWillBegin
		if b.decode(ev, &e) {
			b.download(&e)
		}
	}
}

func (b *browser) decode(ev cdp.Event, into any) bool {
	if err := jsonv2.Unmarshal(ev.Params, into); err != nil {
		b.log.Error("undecodable event from the browser", "method", ev.Method, "error", err)
		return false
	}
	return true
}

func (b *browser) tabOf(session target.SessionID) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[session]
}

// attached sets up a page that has just come into being: one that newTab
// asked for, or one that a tab opened.
func (b *browser) attached(e *target.EventAttachedToTarget) {
	info := e.TargetInfo
	tab := newTab(b, info, e.SessionID)
	b.mu.Lock()
	owner := b.contexts[info.BrowserContextID]
	if b.config.Isolation == IsolationShared {
		owner = b.targets[info.OpenerID]
	}
	b.sessions[e.SessionID] = tab
	b.targets[info.TargetID] = tab
	b.mu.Unlock()
	popup := owner != nil
	if popup {
		tab.context = owner.context
		owner.opened(tab)
	}
	tab.setUp(e.WaitingForDebugger)
}

// download tells the tab that a navigation of it became a file. A popup that
// was opened for a file only is closed: there will never be a page in it.
func (b *browser) download(e *protobrowser.EventDownloadWillBegin) {
	tab := b.tabWithFrame(e.FrameID)
	if tab == nil {
		return
	}
	tab.downloading(Download{URL: e.URL, Filename: e.SuggestedFilename})
	if main, _ := tab.frames.Main(); tab.opener != nil && main.Navigations == 0 {
		tab.end(&Error{Type: PageNotFound, Op: "tab", TabID: tab.id, Message: fmt.Sprintf(
			"%s was closed because it was opened for a file, %q, and not for a page", tab.id, e.SuggestedFilename)})
	}
}

func (b *browser) tabWithFrame(id protocdp.FrameID) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, tab := range b.targets {
		if _, ok := tab.frames.Frame(id); ok {
			return tab
		}
	}
	return nil
}

// newTab makes a warm tab: a browser context of its own, a page, the engine,
// and a look whether it is alive.
func (b *browser) newTab(ctx context.Context) (*Tab, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, certifyBound, errors.New("making a tab took too long"))
	defer cancel()
	contextID, err := b.newContext(ctx)
	if err != nil {
		return nil, b.tabError(err)
	}
	tab, err := b.newPage(ctx, contextID)
	if err != nil {
		b.disposeContext(contextID)
		return nil, b.tabError(err)
	}
	if err := tab.certify(ctx); err != nil {
		tab.dispose()
		return nil, b.tabError(err)
	}
	return tab, nil
}

// newContext makes a browser context that refuses downloads; "" is the shared one.
func (b *browser) newContext(ctx context.Context) (protocdp.BrowserContextID, error) {
	var id protocdp.BrowserContextID
	if b.config.Isolation == IsolationContext {
		yes := true
		made, err := protocdp.Call(ctx, b.conn.Browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: &yes})
		if err != nil {
			return "", fmt.Errorf("create a browser context: %w", err)
		}
		id = made.BrowserContextID
	}
	yes := true
	b.conn.Browser().Send(protobrowser.CommandSetDownloadBehavior, protobrowser.SetDownloadBehaviorParams{
		Behavior: protobrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: id, EventsEnabled: &yes,
	})
	return id, nil
}

// newPage opens a page in the context and waits until it is set up.
func (b *browser) newPage(ctx context.Context, contextID protocdp.BrowserContextID) (*Tab, error) {
	params := target.CreateTargetParams{
		URL:              "about:blank",
		BrowserContextID: contextID,
		Width:            int64(b.config.Viewport.Width),
		Height:           int64(b.config.Viewport.Height),
	}
	if !b.shell {
		// A window of its own: tabs that share one are hidden but for the active one.
		yes := true
		params.NewWindow = &yes
	}
	made, err := protocdp.Call(ctx, b.conn.Browser(), target.CreateTarget, params)
	if err != nil {
		return nil, fmt.Errorf("create a tab: %w", err)
	}
	b.mu.Lock()
	tab := b.targets[made.TargetID] // The attachment was applied before this reply was delivered.
	if tab != nil {
		tab.context = contextID
		if contextID != "" {
			b.contexts[contextID] = tab
		}
	}
	b.mu.Unlock()
	if tab == nil {
		return nil, errors.New("the browser made a tab and did not attach to it")
	}
	return tab, tab.ready(ctx)
}

// tabError is the failure to make a tab, as a caller of Lease sees it.
func (b *browser) tabError(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Type: BrowserUnavailable, Op: "lease", Message: "the browser could not make a new tab; try again, or see the server's log", Err: err}
}

// remove forgets a tab that is over.
func (b *browser) remove(tab *Tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, t := range b.sessions {
		if t == tab {
			delete(b.sessions, id)
		}
	}
	delete(b.targets, tab.targetID)
	if b.contexts[tab.context] == tab {
		delete(b.contexts, tab.context)
	}
}

// disposeContext throws a browser context away with all its pages.
func (b *browser) disposeContext(id protocdp.BrowserContextID) {
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), disposeBound)
	defer cancel()
	_, err := protocdp.Call(ctx, b.conn.Browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id})
	if err != nil && b.alive() {
		b.log.Warn("a browser context could not be disposed of", "error", err)
	}
}

// closeTarget closes one page.
func (b *browser) closeTarget(id target.ID) {
	b.conn.Browser().Send(target.CommandCloseTarget, target.CloseTargetParams{TargetID: id})
}
