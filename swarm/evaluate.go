package swarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/frames"
)

const (
	// hangProbe is how long a page may take to show that it is not stuck.
	hangProbe = 250 * time.Millisecond
	// hangBound is how long a stopped page may take to come back.
	hangBound = 3 * time.Second
)

// A script is tried as an expression first, compiled as part of a function, so
// that any Content-Security-Policy lets it pass and the value comes back
// serialized in the same round trip. What is no expression does not compile,
// which has no effect, and is run as statements instead. $s is the serializer.
const (
	expressionHead = "async function($s){const $v=("
	expressionTail = "\n);return $s(await($v))}"
	calledTail     = "\n);return $s(await(typeof $v==='function'?$v():$v))}"
	bodyHead       = "async function($s){return $s(await(async()=>{"
	bodyTail       = "\n})())}"
	serializeThis  = "async function($s){return $s(await this)}"
)

// maxSerializers bounds the documents whose serializer a tab remembers.
const maxSerializers = 64

// statementHead is how a script begins that cannot be an expression.
var statementHead = regexp.MustCompile(`^(let|const|var|if|for|while|do|switch|try|throw|return)\b`)

// functionHead is how a script begins that is a function and is to be called:
// `() => …`, `async x => …`, `function …`.
var functionHead = regexp.MustCompile(`^(async\b\s*)?(function\b|\([^()]*\)\s*=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>|\((?:[^()]|\([^()]*\))*\)\s*=>)`)

func (f *Frame) evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	ctx, done, err := f.tab.begin(ctx, DefaultScriptTimeout)
	if err != nil {
		return nil, err
	}
	defer done()
	session, contextID, err := f.tab.contextOf(ctx, f, func(frame frames.Frame) string { return frame.MainContext })
	if err != nil {
		return nil, err
	}
	r, err := f.tab.runner(ctx, session, contextID)
	var value json.RawMessage
	if err == nil {
		value, err = r.run(ctx, script)
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		f.tab.unhang(session, contextID)
	case errors.Is(err, engine.ErrNoContext):
		return nil, &Error{Type: ScriptError, Err: err, URL: f.URL(),
			Message: "the page navigated away while the script ran, so its value is lost; wait for the new page and read from there"}
	}
	return value, err
}

// runner runs scripts in one document.
type runner struct {
	session    *cdp.Session
	contextID  string
	serializer runtime.RemoteObjectID
}

// runner returns that of a context. The serializer is handed to the page once a
// document: as text it would cost each script as much again as a round trip.
func (t *Tab) runner(ctx context.Context, s *cdp.Session, contextID string) (runner, error) {
	r := runner{session: s, contextID: contextID}
	t.mu.Lock()
	r.serializer = t.serializers[contextID]
	t.mu.Unlock()
	if r.serializer != "" {
		return r, nil
	}
	made, err := protocdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return(\n" + engine.Serializer() + "\n)}", UniqueContextID: contextID,
	})
	if err != nil {
		return r, contextGone(err)
	}
	r.serializer = made.Result.ObjectID
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.serializers == nil || len(t.serializers) >= maxSerializers {
		t.serializers = make(map[string]runtime.RemoteObjectID)
	}
	t.serializers[contextID] = r.serializer
	return r, nil
}

// run runs a script in the page's own world and returns its value.
func (r runner) run(ctx context.Context, script string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(script)
	if statementHead.MatchString(trimmed) {
		return r.runStatements(ctx, script)
	}
	tail := expressionTail
	if functionHead.MatchString(trimmed) {
		tail = calledTail
	}
	value, thrown, err := r.call(ctx, expressionHead+script+tail, "")
	if err != nil || thrown == nil || !isSyntaxError(thrown) {
		return value, orThrown(err, thrown, script, len(expressionHead))
	}
	return r.runStatements(ctx, script)
}

// runStatements runs a script that is no expression, as DevTools' console does.
func (r runner) runStatements(ctx context.Context, script string) (json.RawMessage, error) {
	yes, no := true, false
	res, err := protocdp.Call(ctx, r.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script, UniqueContextID: r.contextID, ReplMode: &yes, AwaitPromise: &yes, UserGesture: &yes,
		ObjectGroup: engine.World, AllowUnsafeEvalBlockedByCSP: &no,
	})
	if err != nil {
		return nil, contextGone(err)
	}
	if thrown := res.ExceptionDetails; thrown != nil {
		if !isSyntaxError(thrown) || !strings.Contains(thrown.Exception.Description, "Illegal return") {
			return nil, scriptError(thrown, script, 0)
		}
		value, thrown, err := r.call(ctx, bodyHead+script+bodyTail, "")
		return value, orThrown(err, thrown, script, len(bodyHead))
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return primitive(res.Result), nil
	}
	value, thrown, err := r.call(ctx, serializeThis, res.Result.ObjectID)
	r.session.Send(runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: engine.World})
	return value, orThrown(err, thrown, script, 0)
}

// call calls a function of the serializer whose value is JSON text.
func (r runner) call(ctx context.Context, declaration string, this runtime.RemoteObjectID) (json.RawMessage, *runtime.ExceptionDetails, error) {
	yes := true
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: declaration, ObjectID: this, Arguments: []*runtime.CallArgument{{ObjectID: r.serializer}},
		ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	}
	if this == "" {
		params.UniqueContextID = r.contextID
	}
	res, err := protocdp.Call(ctx, r.session, runtime.CallFunctionOn, params)
	if err != nil {
		return nil, nil, contextGone(err)
	}
	if res.ExceptionDetails != nil {
		return nil, res.ExceptionDetails, nil
	}
	var text string
	if err := json.Unmarshal(res.Result.Value, &text); err != nil {
		return nil, nil, fmt.Errorf("decode the value of a script: %w", err)
	}
	return json.RawMessage(text), nil, nil
}

// primitive is the JSON of a value that needs no look into the page.
func primitive(o *runtime.RemoteObject) json.RawMessage {
	switch {
	case o == nil:
		return json.RawMessage("null")
	case o.UnserializableValue == "-0":
		return json.RawMessage("0")
	case o.UnserializableValue != "":
		text, _ := json.Marshal(string(o.UnserializableValue))
		return text
	case len(o.Value) == 0:
		return json.RawMessage("null")
	}
	return json.RawMessage(o.Value)
}

func contextGone(err error) error {
	if engine.IsContextGone(err) {
		return engine.ErrNoContext
	}
	return err
}

// isSyntaxError reports whether the code did not compile, and so did nothing; a
// SyntaxError that running code threw has a stack.
func isSyntaxError(x *runtime.ExceptionDetails) bool {
	return x.Exception != nil && x.Exception.ClassName == "SyntaxError" && !strings.Contains(x.Exception.Description, "\n    at ")
}

func orThrown(err error, thrown *runtime.ExceptionDetails, script string, indent int) error {
	if err != nil || thrown == nil {
		return err
	}
	return scriptError(thrown, script, indent)
}

// scriptError is what a script threw, placed in the script as it was given;
// indent is how far our code moved its first line to the right.
func scriptError(x *runtime.ExceptionDetails, script string, indent int) *Error {
	e := &Error{Type: ScriptError, Message: x.Text}
	if o := x.Exception; o != nil {
		switch {
		case o.Description != "":
			e.Message = o.Description
		case o.UnserializableValue != "":
			e.Message = "threw " + string(o.UnserializableValue)
		case len(o.Value) > 0:
			e.Message = "threw " + string(o.Value)
		}
	}
	line, column := int(x.LineNumber), int(x.ColumnNumber)
	if x.StackTrace != nil && len(x.StackTrace.CallFrames) > 0 {
		top := x.StackTrace.CallFrames[0]
		line, column = int(top.LineNumber), int(top.ColumnNumber)
	}
	if message, stack, ok := strings.Cut(e.Message, "\n    at "); ok {
		e.Message = message
		e.Stack = "at " + stack
	}
	if line == 0 {
		column -= indent
	}
	if line >= 0 && column >= 0 && line <= strings.Count(script, "\n") {
		e.Line, e.Column = line+1, column+1
	}
	return e
}

// unhang stops a script that ran out of time, if the page is stuck in it. A
// page that cannot be stopped is given up, which ends the lease.
func (t *Tab) unhang(s *cdp.Session, contextID string) {
	probe := func(bound time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		_, err := protocdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "1", UniqueContextID: contextID})
		return err
	}
	// Chrome holds commands back while a navigation waits for its server: such a
	// page is not stuck. One that merely waits for a promise answers; to stop it
	// would stop whatever it runs next.
	if t.navigating() || !errors.Is(probe(hangProbe), context.DeadlineExceeded) {
		return
	}
	s.Send(runtime.CommandTerminateExecution, nil)
	if !errors.Is(probe(hangBound), context.DeadlineExceeded) {
		return
	}
	t.end(&Error{Type: TabCrashed, URL: t.URL(), Message: fmt.Sprintf(
		"the page does not answer any more: its script ran out of time and could not be stopped within %v; the lease is over, navigate leases a new tab", hangBound)})
}
