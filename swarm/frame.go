package swarm

import (
	"context"
	"encoding/json"
	"fmt"

	protocdp "github.com/chromedp/cdproto/cdp"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/selector"
)

// Frame is a frame of a tab: the main one or an iframe's, in whatever process
// it lives. It holds for the life of the iframe element, across navigations
// inside it; afterwards every method answers FRAME_NOT_FOUND.
type Frame struct {
	tab *Tab
	id  protocdp.FrameID
}

// ID names the frame; it is Chrome's own frame id.
func (f *Frame) ID() string { return string(f.id) }

// Tab is the tab that the frame belongs to.
func (f *Frame) Tab() *Tab { return f.tab }

// URL is the address of the frame's document, fragment included; "" when the
// frame is gone.
func (f *Frame) URL() string {
	frame, _ := f.tab.frames.Frame(f.id)
	return frame.URL
}

// Name is the name attribute of the frame's iframe element.
func (f *Frame) Name() string {
	frame, _ := f.tab.frames.Frame(f.id)
	return frame.Name
}

// Parent is the frame around this one, nil for the main frame.
func (f *Frame) Parent() *Frame {
	frame, ok := f.tab.frames.Frame(f.id)
	if !ok || frame.Parent == "" {
		return nil
	}
	return &Frame{tab: f.tab, id: frame.Parent}
}

// Locator names elements of the frame by a selector (CSS, `>>>`, text=, role=,
// label=, xpath=). It looks for nothing yet; a selector that does not parse is
// reported by the first use, as INVALID_SELECTOR.
func (f *Frame) Locator(s string) Locator {
	parsed, err := selector.Parse(s)
	return Locator{frame: f, text: s, selector: parsed, err: err}
}

// isMain reports whether the frame is the tab's top one.
func (f *Frame) isMain() bool { return string(f.id) == string(f.tab.targetID) }

func (f *Frame) notFound(op string) *Error {
	return &Error{Type: FrameNotFound, Op: op, TabID: f.tab.id, FrameID: string(f.id), Message: fmt.Sprintf(
		"there is no frame %q in %s: its iframe was removed, or the page around it navigated; find the frame anew", f.id, f.tab.id)}
}

// subject is what an operation on the frame is about, for its error.
func (f *Frame) subject(op, waiting string) subject {
	s := subject{op: op, tab: f.tab, waiting: waiting}
	if !f.isMain() {
		s.frame = string(f.id)
	}
	return s
}

// Evaluate runs a script in the frame's page and returns its value as JSON.
//
// The script is an expression, statements (the value is that of the last
// expression, or of return) or a function, which is called. await works, and a
// promise is waited for. What JSON cannot hold comes as DevTools prints it:
// "NaN", "12n", "[Circular]", "<button#save>"; undefined is null. Declarations
// with let and const live on in the page, and may be made again.
//
// Without a deadline in ctx it has DefaultScriptTimeout. A script that is still
// running then is stopped, and the tab stays usable.
//
// Errors: SCRIPT_ERROR with message, stack and position; TIMEOUT_ERROR.
func (f *Frame) Evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	value, err := f.evaluate(ctx, script)
	return value, translate(err, f.subject("evaluate", "the script to end"))
}
