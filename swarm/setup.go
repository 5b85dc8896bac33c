package swarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/frames"
)

// maxDialogs bounds the dialogs kept for TakeDialogs.
const maxDialogs = 20

// setUp sends everything that makes a page drivable, in one go, and lets it
// run. It waits for nothing: ready does.
func (t *Tab) setUp(paused bool) {
	send := func(method string, params any) { t.setup = append(t.setup, t.session.Send(method, params)) }
	yes := true
	t.instrument(t.session, send)
	send(inspector.CommandEnable, nil)
	send(emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	send(emulation.CommandSetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(t.browser.config.Viewport.Width), Height: int64(t.browser.config.Viewport.Height),
	})
	send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes, Filter: onlyTargets("iframe"),
	})
	if paused {
		send(runtime.CommandRunIfWaitingForDebugger, nil)
	}
}

// instrument sends what a session needs for its frames to be known and the
// engine to be in each of their documents: the page's own session, and that of
// an iframe in another process.
func (t *Tab) instrument(s *cdp.Session, send func(method string, params any)) {
	yes := true
	send(page.CommandEnable, nil)
	send(page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	send(page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: t.browser.script, WorldName: engine.World, RunImmediately: &yes,
	})
	send(runtime.CommandEnable, nil)
	// After Runtime.enable: a world that exists by then would never get the binding.
	send(runtime.CommandAddBinding, runtime.AddBindingParams{Name: engine.Binding, ExecutionContextName: engine.World})
}

// ready waits until the page is set up.
func (t *Tab) ready(ctx context.Context) error {
	for _, p := range t.setup {
		if err := p.Wait(ctx, nil); err != nil {
			return fmt.Errorf("set up a tab: %w", err)
		}
	}
	t.setup = nil
	return nil
}

// certify looks whether a new tab is alive: visible, focused and painting.
func (t *Tab) certify(ctx context.Context) error {
	var last certificate
	for ctx.Err() == nil {
		c, err := call[certificate](ctx, t.MainFrame(), "certify", map[string]any{"slice": 1000})
		if err != nil {
			return fmt.Errorf("certify a tab: %w", err)
		}
		if c.Visible && c.Focused && c.Frames {
			return nil
		}
		last = c
		// In a window of its own a tab only has to be brought up.
		t.session.Send(page.CommandBringToFront, nil)
	}
	return fmt.Errorf("a new tab does not come alive (visible %v, focused %v, animation frames %v): %w", last.Visible, last.Focused, last.Frames, context.Cause(ctx))
}

type certificate struct {
	Visible bool `json:"visible"`
	Focused bool `json:"focused"`
	Frames  bool `json:"frames"`
}

// onEvent takes in an event of the tab's page or of one of its iframes in
// another process. It runs on the connection's reader and must not wait.
func (t *Tab) onEvent(ev cdp.Event) {
	t.frames.Apply(ev.SessionID, ev.Method, ev.Params)
	switch ev.Method {
	case runtime.BindingCalled.Method:
		t.onVerdict(ev)
	case page.JavascriptDialogOpening.Method:
		t.onDialog(ev)
	case network.ResponseReceived.Method:
		t.onResponse(ev)
	case target.AttachedToTarget.Method:
		t.onFrameAttached(ev)
	case inspector.TargetCrashed.Method:
		if ev.SessionID == t.session.ID() {
			t.end(&Error{Type: TabCrashed, URL: t.URL(), Message: "the page's process crashed or was killed; the lease is over, navigate leases a new tab"})
		}
	}
}

// onFrameAttached sets up an iframe that lives in another process.
func (t *Tab) onFrameAttached(ev cdp.Event) {
	var e target.EventAttachedToTarget
	if !t.browser.decode(ev, &e) {
		return
	}
	t.browser.mu.Lock()
	t.browser.sessions[e.SessionID] = t
	t.browser.mu.Unlock()
	s := t.browser.conn.Session(e.SessionID)
	send := func(method string, params any) { s.Send(method, params) }
	yes := true
	t.instrument(s, send)
	send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes, Filter: onlyTargets("iframe"),
	})
	send(runtime.CommandRunIfWaitingForDebugger, nil)
}

// onDialog answers a dialog at once: nothing on the page goes on before.
func (t *Tab) onDialog(ev cdp.Event) {
	var e page.EventJavascriptDialogOpening
	if !t.browser.decode(ev, &e) {
		return
	}
	accept := e.Type == page.DialogTypeAlert || e.Type == page.DialogTypeBeforeunload
	t.browser.conn.Session(ev.SessionID).Send(page.CommandHandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dialogs = append(t.dialogs, answered{Dialog{Type: string(e.Type), Message: e.Message, Accepted: accept}, time.Now()})
	if len(t.dialogs) > maxDialogs {
		t.dialogs = t.dialogs[len(t.dialogs)-maxDialogs:]
	}
}

// onResponse keeps the status of the last document of the main frame.
func (t *Tab) onResponse(ev cdp.Event) {
	var e network.EventResponseReceived
	if ev.SessionID != t.session.ID() || !t.browser.decode(ev, &e) || e.Type != network.ResourceTypeDocument || e.Response == nil {
		return
	}
	if string(e.FrameID) != string(t.targetID) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.response = response{loader: e.LoaderID, status: int(e.Response.Status)}
}

// downloading keeps the file that a navigation turned out to be, in place of
// one that nobody asked for.
func (t *Tab) downloading(d Download) {
	select {
	case <-t.downloads:
	default:
	}
	t.downloads <- d // The event loop is the only sender.
}

// onVerdict delivers what the guard of a click saw to the click.
func (t *Tab) onVerdict(ev cdp.Event) {
	var e runtime.EventBindingCalled
	var v engine.Verdict
	if !t.browser.decode(ev, &e) || e.Name != engine.Binding || json.Unmarshal([]byte(e.Payload), &v) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if waiting := t.verdicts[v.ID]; waiting != nil {
		delete(t.verdicts, v.ID)
		waiting <- v // It has room for the one.
	}
}

// world waits until the frame has the engine's context and returns its session
// and the context's id; avoid is a context that is known to be gone.
func (t *Tab) world(ctx context.Context, f *Frame, avoid string) (*cdp.Session, string, error) {
	return t.contextOf(ctx, f, func(frame frames.Frame) string {
		if frame.WorldContext == avoid {
			return ""
		}
		return frame.WorldContext
	})
}

// contextOf waits until the frame has the context that pick picks.
func (t *Tab) contextOf(ctx context.Context, f *Frame, pick func(frames.Frame) string) (*cdp.Session, string, error) {
	var found frames.Frame
	err := t.frames.Wait(ctx, func(v frames.View) (bool, error) {
		frame, ok := v.Frame(f.id)
		if !ok {
			return false, f.notFound("frame")
		}
		found = frame
		return pick(frame) != "", nil
	})
	if err != nil {
		return nil, "", err
	}
	return t.browser.conn.Session(found.Session), pick(found), nil
}

// call runs an operation of the engine in a frame, again in the new document
// when the frame's document is replaced under it.
func call[R any](ctx context.Context, f *Frame, op string, arg any) (R, error) {
	gone := ""
	for {
		session, contextID, err := f.tab.world(ctx, f, gone)
		if err != nil {
			var zero R
			return zero, err
		}
		result, err := engine.Call[R](ctx, session, contextID, op, arg)
		if !errors.Is(err, engine.ErrNoContext) {
			return result, err
		}
		gone = contextID
	}
}
