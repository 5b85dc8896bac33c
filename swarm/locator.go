package swarm

import (
	"context"
	"errors"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/selector"
)

// Locator is a value that names elements: a frame and a selector. It is looked
// up anew at each use, so it never goes stale. Where one element is needed it
// is the first match in document order that is visible, else the first.
//
// Errors of its methods, besides those of Tab: INVALID_SELECTOR at once;
// SELECTOR_NOT_FOUND when nothing matched until the time was up;
// ELEMENT_NOT_INTERACTABLE, with Reason, when the element could not be used
// until then; FRAME_NOT_FOUND. Without a deadline in the context the time is
// Config.ActionTimeout.
type Locator struct {
	frame    *Frame
	text     string
	selector selector.Selector
	err      error
}

// String is the selector as it was given.
func (l Locator) String() string { return l.text }

// Text waits for the element and returns its text as it is rendered, open
// shadow roots included; of a form field its value.
func (l Locator) Text(ctx context.Context) (string, error) {
	const waiting = "an element to match"
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return "", l.translate(err, "text", waiting)
	}
	defer done()
	read, err := attempt[engine.Text](ctx, l, "readText", func(t engine.Target) any { return t })
	return read.Text, l.translate(err, "text", waiting)
}

// Count is how many elements match now; it waits for none.
func (l Locator) Count(ctx context.Context) (int, error) {
	const waiting = "the page to answer"
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return 0, l.translate(err, "count", waiting)
	}
	defer done()
	counted, err := call[struct {
		engine.Outcome
		Count int `json:"count"`
	}](ctx, l.frame, "count", engine.Target{Selector: l.selector})
	if err == nil {
		err = l.permanent(counted.Outcome)
	}
	return counted.Count, l.translate(err, "count", waiting)
}

// WaitFor waits until an element matches and, if opts says so, is visible; or
// until none is visible, or none matches any more. A wait that runs out of time
// is a TIMEOUT_ERROR, also when nothing ever matched.
func (l Locator) WaitFor(ctx context.Context, opts *WaitForOptions) error {
	state := Attached
	if opts != nil && opts.State != "" {
		state = opts.State
	}
	waiting := "the element to be " + string(state)
	switch state {
	case Attached, Visible, Hidden, Detached:
	default:
		return l.translate(&Error{Type: InvalidArgument, Message: "state is " + string(state) + "; it must be attached, visible, hidden or detached"}, "wait", waiting)
	}
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return l.translate(err, "wait", waiting)
	}
	defer done()
	_, err = attempt[engine.Outcome](ctx, l, "waitFor", func(t engine.Target) any {
		return struct {
			engine.Target
			State State `json:"state"`
		}{t, state}
	})
	if e, ok := errors.AsType[*Error](err); ok && e.Type == SelectorNotFound {
		e.Type = TimeoutError
	}
	return l.translate(err, "wait", waiting)
}

// begin is Tab.begin for a use of the locator.
func (l Locator) begin(ctx context.Context) (context.Context, func(), error) {
	if l.err != nil {
		return nil, nil, l.err
	}
	return l.frame.tab.begin(ctx, l.frame.tab.manager.config.ActionTimeout)
}

func (l Locator) translate(err error, op, waiting string) error {
	about := l.frame.subject(op, waiting)
	about.selector = l.text
	return translate(err, about)
}
