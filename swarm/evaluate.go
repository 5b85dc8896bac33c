package swarm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// leading is what may stand before a script that counts: white space, comments.
var leading = regexp.MustCompile(`^(\s|//[^\n]*|/\*(?s:.*?)\*/)+`)

// functionHead is how a script begins that is a function and is to be called:
// `() => …`, `async x => …`, `function …`, in parentheses or not.
var functionHead = regexp.MustCompile(`^(\(\s*)*(async\b\s*)?(function\b|\([^()]*\)\s*=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>|\((?:[^()]|\([^()]*\))*\)\s*=>)`)

func (f *Frame) evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	ctx, done, err := f.tab.begin(ctx, DefaultScriptTimeout)
	if err != nil {
		return nil, err
	}
	defer done()
	gone := ""
	for {
		session, contextID, err := f.tab.contextOf(ctx, f, func(frame frames.Frame) string {
			if frame.MainContext == gone {
				return ""
			}
			return frame.MainContext
		})
		if err != nil {
			return nil, err
		}
		r, err := f.tab.runner(ctx, session, contextID)
		var value json.RawMessage
		if err == nil {
			value, err = r.run(ctx, script)
		}
		switch {
		case ctx.Err() != nil && err != nil:
			f.tab.unhang(session, contextID)
		case errors.Is(err, engine.ErrNotBegun):
			gone = contextID // The document was on its way out; the script belongs to the next one.
			continue
		case errors.Is(err, engine.ErrNoContext):
			return nil, &Error{Type: ScriptError, Err: err, URL: f.URL(),
				Message: "the page navigated away while the script ran, so its value is lost; wait for the new page and read from there"}
		}
		return value, err
	}
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
		return r, engine.ContextError(err)
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
	trimmed := script[len(leading.FindString(script)):]
	if statementHead.MatchString(trimmed) {
		return r.runStatements(ctx, script)
	}
	tail := expressionTail
	if functionHead.MatchString(trimmed) {
		tail = calledTail
	}
	value, thrown, err := r.call(ctx, expressionHead+script+tail, "")
	if err != nil || thrown == nil || !isSyntaxError(thrown) {
		return value, r.orThrown(ctx, err, thrown, script, expressionHead)
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
		return nil, engine.ContextError(err)
	}
	if thrown := res.ExceptionDetails; thrown != nil {
		if !isSyntaxError(thrown) || !strings.Contains(thrown.Exception.Description, "Illegal return") {
			return nil, r.orThrown(ctx, nil, thrown, script, "")
		}
		value, thrown, err := r.call(ctx, bodyHead+script+bodyTail, "")
		return value, r.orThrown(ctx, err, thrown, script, bodyHead)
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return primitive(res.Result), nil
	}
	value, thrown, err := r.serialize(ctx, res.Result.ObjectID)
	return value, r.orThrown(ctx, err, thrown, script, "")
}

// serialize is the value of what a script left behind.
func (r runner) serialize(ctx context.Context, id runtime.RemoteObjectID) (json.RawMessage, *runtime.ExceptionDetails, error) {
	value, thrown, err := r.call(ctx, serializeThis, id)
	r.session.Send(runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: engine.World})
	if errors.Is(err, engine.ErrNotBegun) {
		err = engine.ErrNoContext // The script itself had run.
	}
	return value, thrown, err
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
		return nil, nil, engine.ContextError(err)
	}
	if res.ExceptionDetails != nil {
		return nil, res.ExceptionDetails, nil
	}
	var text string
	if err := json.Unmarshal(res.Result.Value, &text); err != nil {
		return nil, nil, fmt.Errorf("decode the value of a script: %w", err)
	}
	if !json.Valid([]byte(text)) {
		return nil, nil, &Error{Type: ScriptError, Message: "the script ran, but its value cannot be written as JSON: the page has replaced functions that this needs; return a string or a number"}
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
	case bytes.Contains(o.Value, []byte(`\ud`)):
		return wellFormed(o.Value)
	}
	return json.RawMessage(o.Value)
}

// wellFormed is a JSON string without halves of surrogate pairs.
func wellFormed(raw []byte) json.RawMessage {
	var text string
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if json.Unmarshal(raw, &text) != nil || encoder.Encode(text) != nil {
		return raw
	}
	return bytes.TrimSpace(out.Bytes())
}

// isSyntaxError reports whether the code did not compile, and so did nothing.
// What running code throws has a stack or, as all of ours is async, came by a
// promise.
func isSyntaxError(x *runtime.ExceptionDetails) bool {
	return x.Exception != nil && x.Exception.ClassName == "SyntaxError" &&
		!strings.Contains(x.Text, "in promise") && !strings.Contains(x.Exception.Description, "\n    at ")
}

// orThrown is what a script threw, placed in the script as it was given; head
// is our code in front of it.
func (r runner) orThrown(ctx context.Context, err error, x *runtime.ExceptionDetails, script, head string) error {
	if err != nil || x == nil {
		return err
	}
	e := &Error{Type: ScriptError, Message: x.Text}
	if o := x.Exception; o != nil {
		e.Message = r.thrown(ctx, o)
	}
	line, column := position(x)
	if message, stack, ok := strings.Cut(e.Message, "\n    at "); ok {
		e.Message = message
		e.Stack = "at " + stack
	}
	if head != "" {
		indent := len("(" + head) // Chrome puts a function in parentheses.
		e.Stack = firstLine.ReplaceAllStringFunc(e.Stack, func(at string) string {
			n, _ := strconv.Atoi(at[len("<anonymous>:1:"):])
			return fmt.Sprintf("<anonymous>:1:%d", max(1, n-indent))
		})
		if line == 0 {
			column -= indent
		}
		if column == -1 {
			column = 0 // A name that is not there is found missing at the parenthesis before it.
		}
	}
	if line >= 0 && column >= 0 && line <= strings.Count(script, "\n") {
		e.Line, e.Column = line+1, column+1
	}
	return e
}

// firstLine and ownPlace are places in a script of ours, in a stack.
var (
	firstLine = regexp.MustCompile(`<anonymous>:1:\d+`)
	ownPlace  = regexp.MustCompile(`\n    at .*<anonymous>:(\d+):(\d+)`)
)

// position is where a script threw, both numbers from 0: of the calls under way,
// the last one made in the script itself. The page's own functions may lie above.
func position(x *runtime.ExceptionDetails) (line, column int) {
	if x.StackTrace == nil || len(x.StackTrace.CallFrames) == 0 {
		if x.Exception != nil { // A DOMException has its stack as text only.
			if at := ownPlace.FindStringSubmatch(x.Exception.Description); at != nil {
				line, _ = strconv.Atoi(at[1])
				column, _ = strconv.Atoi(at[2])
				return line - 1, column - 1
			}
		}
		return int(x.LineNumber), int(x.ColumnNumber)
	}
	calls := x.StackTrace.CallFrames
	ours := calls[len(calls)-1].ScriptID
	i := slices.IndexFunc(calls, func(call *runtime.CallFrame) bool { return call.ScriptID == ours })
	return int(calls[i].LineNumber), int(calls[i].ColumnNumber)
}

// thrown describes what a script threw: an error with its stack, any other
// value as JSON.
func (r runner) thrown(ctx context.Context, o *runtime.RemoteObject) string {
	if o.Subtype == runtime.RemoteObjectSubtypeError {
		return o.Description
	}
	value := primitive(o)
	if o.ObjectID != "" {
		var err error
		if value, _, err = r.serialize(ctx, o.ObjectID); err != nil || value == nil {
			return "threw " + o.Description
		}
	} else if o.Type == runtime.RemoteObjectTypeUndefined {
		value = json.RawMessage("undefined")
	}
	return "threw " + string(value)
}

// unhang is Tab.unhang for the frame's page.
func (f *Frame) unhang() {
	frame, ok := f.tab.frames.Frame(f.id)
	if ok && frame.MainContext != "" {
		f.tab.unhang(f.tab.browser.conn.Session(frame.Session), frame.MainContext)
	}
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
