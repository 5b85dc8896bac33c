package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// ErrNoContext says that the execution context is gone: the document was
// replaced or its frame taken away. The call had no effect or its effect went
// with the document.
var ErrNoContext = errors.New("the execution context is gone")

// ErrNotBegun is an ErrNoContext of which it is known that the call did nothing.
var ErrNotBegun = fmt.Errorf("%w: it was before the call began", ErrNoContext)

// Outcome is what every attempt of the engine reports. Exactly one of OK,
// Error and Why is set.
type Outcome struct {
	OK bool `json:"ok"`
	// Error is a failure that waiting does not mend: "selector" (Message
	// says why it is not valid) or "state" (Why and Detail say what the
	// element is instead).
	Error   string `json:"error"`
	Message string `json:"message"`
	// Why says what is not yet so: "none" (nothing matches), "hidden",
	// "zero-size", "detached", "disabled", "readonly", "not-editable",
	// "not-focusable", "refused", "moving", "covered", "outside", or, of a
	// wait, "not-visible", "not-hidden", "not-detached".
	Why string `json:"why"`
	// Name is the element that was picked, as "button#save"; Seen how many
	// matched, as "2 matches"; Detail what it is like, as "display:none"; By
	// what covers it.
	Name   string `json:"name"`
	Seen   string `json:"seen"`
	Detail string `json:"detail"`
	By     string `json:"by"`
}

// Result returns the outcome; it is what the results of all attempts have in
// common.
func (o Outcome) Result() Outcome { return o }

// Target names the elements of one attempt.
type Target struct {
	// Selector is the syntax tree of package selector.
	Selector any `json:"selector"`
	// Slice bounds the waiting inside the page.
	Slice Milliseconds `json:"slice"`
}

// Milliseconds is a duration that JSON holds as whole milliseconds.
type Milliseconds time.Duration

// MarshalJSON writes the milliseconds as a number.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d", time.Duration(m).Milliseconds()), nil
}

// ClickArgs are the arguments of PrepareClick.
type ClickArgs struct {
	Target
	// ID names the action in PressLost and in its Verdict.
	ID int64 `json:"id"`
	// Count is how many presses the click has.
	Count int `json:"count"`
	// Force leaves out the checks for disabled, moving and covered, and the guard.
	Force bool `json:"force"`
}

// Point is where to press, in the viewport of the element's frame; Name and
// Seen of the Outcome are set too.
type Point struct {
	Outcome
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Verdict is what the guard of a click saw.
type Verdict struct {
	ID int64 `json:"id"`
	// Cover is what the press would have landed on instead; the press was
	// swallowed then. Empty when it landed.
	Cover string `json:"cover"`
	// Landed is how many presses landed before.
	Landed int `json:"landed"`
}

// TypeArgs are the arguments of PrepareType.
type TypeArgs struct {
	Target
	ID    int64  `json:"id"`
	Clear bool   `json:"clear"`
	Text  string `json:"text"`
}

// Field is a field that is ready for keys.
type Field struct {
	Outcome
	// Kind is "input" (one line), "textarea", "editable" (contenteditable)
	// or "value": an input that takes no keys, a date say, whose value is
	// set already and given as Value.
	Kind   string `json:"kind"`
	Before string `json:"before"`
	Value  string `json:"value"`
	// Caret is false when the caret could not be placed at the end.
	Caret bool `json:"caret"`
}

// Box is a rectangle in page coordinates, in CSS pixels.
type Box struct {
	Outcome
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Scale is the device's pixels for each CSS pixel.
	Scale float64 `json:"scale"`
}

// Text is a text that was read.
type Text struct {
	Outcome
	Text string `json:"text"`
	// Plain is true when the document is not HTML but text that the browser
	// shows, JSON say; then Text is that text, whatever was asked for.
	Plain bool   `json:"plain"`
	URL   string `json:"url"`
}

// Info is where a document is.
type Info struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Status is the HTTP status of its response, 0 if it had none.
	Status int `json:"status"`
	// Refreshes is true when it asks to be replaced at once.
	Refreshes bool `json:"refreshes"`
}

// callee calls an operation; the engine is a global of its own world only.
const callee = "function(op,arg){return swarmEngine[op](arg)}"

// Call runs an operation of the engine in the context with that unique id and
// decodes its result, in one round trip. It returns ErrNoContext when the
// context is gone.
func Call[R any](ctx context.Context, s cdp.Session, contextID, op string, arg any) (R, error) {
	return apply[R](ctx, s, op, runtime.CallFunctionOnParams{FunctionDeclaration: callee, UniqueContextID: contextID}, op, arg)
}

// PagePoint is a point of a frame in its parent's viewport, or what covers the
// frame there.
type PagePoint struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Cover string  `json:"cover"`
}

// FramePoint turns a point of a frame's viewport into one of its parent's; node
// is the iframe element and s the parent's session. It scrolls the point into
// view and, unless the click is forced, waits for args.Slice until the frame is
// not covered there.
func FramePoint(ctx context.Context, s cdp.Session, node cdp.BackendNodeID, x, y float64, args ClickArgs) (PagePoint, error) {
	var zero PagePoint
	resolved, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ObjectGroup: World})
	if err != nil {
		return zero, fmt.Errorf("resolve the frame's element: %w", err)
	}
	return apply[PagePoint](ctx, s, "framePoint", runtime.CallFunctionOnParams{
		FunctionDeclaration: read("frame_point.js"), ObjectID: resolved.Object.ObjectID,
	}, x, y, args)
}

// apply calls a function with JSON arguments and decodes what it returns.
func apply[R any](ctx context.Context, s cdp.Session, op string, params runtime.CallFunctionOnParams, args ...any) (R, error) {
	var result R
	for _, v := range args {
		raw, err := json.Marshal(v)
		if err != nil {
			return result, fmt.Errorf("encode the arguments of %s: %w", op, err)
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: raw})
	}
	yes := true
	params.ReturnByValue, params.AwaitPromise = &yes, &yes
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, params)
	if err != nil {
		if gone := ContextError(err); errors.Is(gone, ErrNoContext) {
			return result, gone
		}
		return result, fmt.Errorf("call the engine's %s: %w", op, err)
	}
	if x := res.ExceptionDetails; x != nil {
		what := x.Text
		if x.Exception != nil && x.Exception.Description != "" {
			what = x.Exception.Description
		}
		return result, fmt.Errorf("the engine's %s threw: %s", op, what)
	}
	if res.Result == nil || len(res.Result.Value) == 0 {
		return result, nil
	}
	if err := json.Unmarshal(res.Result.Value, &result); err != nil {
		return result, fmt.Errorf("decode the result of the engine's %s: %w", op, err)
	}
	return result, nil
}

// ContextError returns ErrNotBegun or ErrNoContext for a protocol error that
// means that the execution context of a Runtime command no longer exists, and
// any other error as it is. The protocol has only messages for that, no code.
func ContextError(err error) error {
	text := err.Error()
	for known, is := range map[string]error{
		"uniqueContextId not found":             ErrNotBegun,
		"Cannot find context with specified id": ErrNotBegun,
		"Cannot find default execution context": ErrNotBegun,
		"Could not find object with given id":   ErrNotBegun,
		"Execution context was destroyed":       ErrNoContext,
		"Inspected target navigated or closed":  ErrNoContext,
	} {
		if strings.Contains(text, known) {
			return is
		}
	}
	return err
}
