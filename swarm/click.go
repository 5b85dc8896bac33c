package swarm

import (
	"context"
	"fmt"
	"time"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/input"
)

// verdictBound is how long after the input was taken the guard's verdict may
// be missing before the page is asked for it.
const verdictBound = 250 * time.Millisecond

// Click scrolls the element into view, waits until it is visible, enabled,
// steady and not covered, and clicks it with the real mouse. A press that would
// land on something else is swallowed and tried again, so that nothing else is
// ever clicked. It returns once the page has handled the click; a navigation
// that the click began may still be under way.
func (l Locator) Click(ctx context.Context, opts *ClickOptions) (*ClickResult, error) {
	const waiting = "the click to be done"
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return nil, l.translate(err, "click", waiting)
	}
	defer done()
	result, err := l.click(ctx, opts)
	return result, l.translate(err, "click", waiting)
}

func (l Locator) click(ctx context.Context, opts *ClickOptions) (*ClickResult, error) {
	mouse, force, err := mouseOf(opts)
	if err != nil {
		return nil, err
	}
	tab := l.frame.tab
	giveTurn, err := tab.take(ctx)
	if err != nil {
		return nil, err
	}
	defer giveTurn()
	before := tab.popupIDs()
	began := time.Now()
	var log callLog
	for {
		o, err := l.press(ctx, mouse, force)
		switch {
		case err != nil && ctx.Err() != nil && log.last != nil:
			return nil, l.unusable(ctx, *log.last, time.Since(began), log.lines)
		case err != nil:
			return nil, err
		case o.OK:
			return &ClickResult{Opened: newIDs(before, tab.popupIDs()), Dialogs: tab.takeDialogsSince(began)}, nil
		}
		log.add(began, o)
		if slice(ctx) == 0 {
			return nil, l.unusable(ctx, o, time.Since(began), log.lines)
		}
	}
}

// press waits until the element can be pressed and presses it, once: what
// covered it then, so that nothing was pressed, is an outcome to try again.
func (l Locator) press(ctx context.Context, mouse input.Mouse, force bool) (engine.Outcome, error) {
	tab := l.frame.tab
	id, verdict := tab.newAction()
	defer tab.dropAction(id)
	point, err := attempt[engine.Point](ctx, l, "prepareClick", func(t engine.Target) any {
		return engine.ClickArgs{Target: t, ID: id, Count: mouse.Count, Force: force}
	})
	if err != nil {
		return engine.Outcome{}, err
	}
	covered := func(by string) engine.Outcome {
		return engine.Outcome{Why: "covered", By: by, Name: point.Name, Seen: point.Seen}
	}
	at, err := l.frame.toPage(ctx, engine.ClickArgs{ID: id, Count: mouse.Count, Force: force}, point)
	if err != nil || at.Cover != "" {
		return covered(at.Cover), err
	}
	mouse.X, mouse.Y = at.X, at.Y
	if err := tab.send(ctx, tab.session, input.Click(mouse)); err != nil || force {
		return engine.Outcome{OK: true}, err
	}
	v, lost := l.verdict(ctx, id, verdict)
	switch {
	case lost:
		// It may have been taken by who knows what: to press again could be to do it twice.
		return engine.Outcome{}, l.notInteractable(covered(""), fmt.Sprintf(
			"%q: the press at %s never arrived in its frame; look at the page for what took it", l.text, point.Name), nil)
	case v.Cover != "" && v.Landed > 0:
		return engine.Outcome{}, l.notInteractable(covered(v.Cover), fmt.Sprintf(
			"%q: the first press landed on %s, the next would have hit %s and was held back; look at what the first has done", l.text, point.Name, v.Cover), nil)
	case v.Cover != "":
		return covered(v.Cover), nil
	}
	return engine.Outcome{OK: true}, nil
}

// mouseOf checks the options of a click.
func mouseOf(opts *ClickOptions) (input.Mouse, bool, error) {
	mouse := input.Mouse{Button: string(Left), Count: 1}
	if opts == nil {
		return mouse, false, nil
	}
	if opts.Button != "" {
		mouse.Button = string(opts.Button)
	}
	if mouse.Button != string(Left) && mouse.Button != string(Middle) && mouse.Button != string(Right) {
		return mouse, false, &Error{Type: InvalidArgument, Message: fmt.Sprintf("button is %q; it must be left, middle or right", opts.Button)}
	}
	if opts.ClickCount != 0 {
		mouse.Count = opts.ClickCount
	}
	if mouse.Count < 1 || mouse.Count > 3 {
		return mouse, false, &Error{Type: InvalidArgument, Message: fmt.Sprintf("click_count is %d; it must be 1 to 3", opts.ClickCount)}
	}
	bits := map[Modifier]input.Modifiers{Alt: input.Alt, Control: input.Control, Meta: input.Meta, Shift: input.Shift}
	for _, m := range opts.Modifiers {
		bit, ok := bits[m]
		if !ok {
			return mouse, false, &Error{Type: InvalidArgument, Message: fmt.Sprintf("modifier %q is not one of Alt, Control, Meta, Shift", m)}
		}
		mouse.Modifiers |= bit
	}
	return mouse, opts.Force, nil
}

// verdict is what the guard of a click that was sent saw; lost means that the
// press never came to the frame. A page that was replaced by the click has no
// verdict to give, and no need of one.
func (l Locator) verdict(ctx context.Context, id int64, verdict <-chan engine.Verdict) (v engine.Verdict, lost bool) {
	bound := time.NewTimer(verdictBound)
	defer bound.Stop()
	select {
	case v = <-verdict:
		return v, false
	case <-ctx.Done():
		return v, false
	case <-l.frame.tab.ended:
		return v, false
	case <-bound.C:
	}
	session, contextID, err := l.frame.tab.world(ctx, l.frame, "")
	if err != nil {
		return v, false
	}
	answer, err := engine.Call[struct {
		engine.Verdict
		Lost bool `json:"lost"`
	}](ctx, session, contextID, "pressLost", map[string]any{"id": id})
	return answer.Verdict, err == nil && answer.Lost
}

// toPage turns a point of the frame's viewport into one of the page's, and sees
// to it that nothing around the frame covers it, now (then Cover says what does)
// or when the press comes.
func (f *Frame) toPage(ctx context.Context, args engine.ClickArgs, point engine.Point) (engine.PagePoint, error) {
	at := engine.PagePoint{X: point.X, Y: point.Y}
	for f := f; !f.isMain() && at.Cover == ""; {
		frame, ok := f.tab.frames.Frame(f.id)
		if !ok {
			return at, f.notFound("click")
		}
		parent := &Frame{tab: f.tab, id: frame.Parent}
		var err error
		if at, err = f.throughOwner(ctx, parent, args, at); err != nil {
			return at, err
		}
		f = parent
	}
	return at, nil
}

// throughOwner turns a point of the frame's viewport into one of its parent's.
func (f *Frame) throughOwner(ctx context.Context, parent *Frame, args engine.ClickArgs, at engine.PagePoint) (engine.PagePoint, error) {
	session, contextID, err := f.tab.world(ctx, parent, "")
	if err != nil {
		return at, err
	}
	owner, err := protocdp.Call(ctx, session, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return at, fmt.Errorf("find the frame's element: %w", err)
	}
	args.Slice = engine.Milliseconds(slice(ctx))
	at, err = engine.FramePoint(ctx, session, owner.BackendNodeID, at.X, at.Y, args)
	if err != nil || at.Cover != "" || args.Force {
		return at, err
	}
	_, err = engine.Call[struct{}](ctx, session, contextID, "armAround", args)
	return at, err
}

// send writes the input commands one after another and waits for the last.
func (t *Tab) send(ctx context.Context, s *cdp.Session, commands []input.Command) error {
	pending := make([]*cdp.Pending, len(commands))
	for i, c := range commands {
		pending[i] = s.Send(c.Method, c.Params)
	}
	for _, p := range pending {
		if err := p.Wait(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// newAction makes an id for an action and the channel for its verdict.
func (t *Tab) newAction() (int64, <-chan engine.Verdict) {
	verdict := make(chan engine.Verdict, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.actions++
	t.verdicts[t.actions] = verdict
	return t.actions, verdict
}

func (t *Tab) dropAction(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.verdicts, id)
}
