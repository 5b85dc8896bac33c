package mcpadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// info is what a declaration says about its tool besides its types.
type info struct {
	name  string
	group string // heading in the docs
	title string // for people
	doc   string // for models: what it does and what to know, in a few short sentences
	hints hints

	// exampleArgs and exampleResult are JSON objects, shown in the docs and
	// held against the schemas by a test.
	exampleArgs, exampleResult string
}

// hints are the annotations of a tool; the zero value is a tool that changes a
// page in ways that can be undone.
type hints struct {
	readOnly    bool // changes neither pages nor the pool
	destructive bool // may set off what cannot be undone
	idempotent  bool // a second call changes nothing more
	closedWorld bool // concerns the server alone, no site
}

// tool is a declared tool, its types erased.
type tool struct {
	info
	input, output schema
	// run decodes the arguments and calls the handler. The output is a
	// pointer to the declared type.
	run func(ctx context.Context, c *call, args json.RawMessage) (any, error)
}

// declare makes a tool of a handler. The fields of In are its arguments and
// those of Out its result, both with their json and jsonschema tags; a field
// of In is optional if it has omitempty. Schemas, checks, docs and goldens
// follow from these types alone.
func declare[In, Out any](i info, handler func(context.Context, *call, In) (Out, error)) tool {
	input := inputSchema(reflect.TypeFor[In]())
	return tool{
		info:   i,
		input:  input,
		output: outputSchema(reflect.TypeFor[Out]()),
		run: func(ctx context.Context, c *call, args json.RawMessage) (any, error) {
			var in In
			if err := decode(i.name, input.Properties, args, &in); err != nil {
				return nil, err
			}
			out, err := handler(ctx, c, in)
			return &out, err
		},
	}
}

// definition is the tool's entry in tools/list.
func (t tool) definition() (mcp.Tool, error) {
	input, err := compactJSON(t.input)
	if err != nil {
		return mcp.Tool{}, err
	}
	output, err := compactJSON(t.output)
	if err != nil {
		return mcp.Tool{}, err
	}
	// The schemas go in raw: mcp-go's own types lose the order of properties.
	d := mcp.NewToolWithRawSchema(t.name, t.doc, input)
	d.RawOutputSchema = output
	d.Title = t.title
	openWorld := !t.hints.closedWorld
	d.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &t.hints.readOnly, OpenWorldHint: &openWorld}
	if !t.hints.readOnly {
		d.Annotations.DestructiveHint = &t.hints.destructive
		d.Annotations.IdempotentHint = &t.hints.idempotent
	}
	return d, nil
}

// call is one call of a tool: what its handler needs besides the arguments.
type call struct {
	server *Server
	tool   string
	owner  string     // the session, who owns the tabs it leases
	tab    *swarm.Tab // the tab the call works on, nil until it has one
}

// open returns a tab that the session has leased.
func (c *call) open(id string) (*swarm.Tab, error) {
	tab, err := c.server.manager.Tab(id)
	if err != nil {
		return nil, err
	}
	if tab.Owner() != c.owner {
		// In the manager's words: an id says nothing about other sessions.
		return nil, &swarm.Error{Type: swarm.PageNotFound, Op: c.tool, TabID: id,
			Message: fmt.Sprintf("there is no tab %q; navigate without tabId leases a new one", clip(id, 60))}
	}
	c.tab = tab
	return tab, nil
}

// frame returns a frame of a tab that the session has leased, the main frame
// for an empty id.
func (c *call) frame(tabID, frameID string) (*swarm.Frame, error) {
	tab, err := c.open(tabID)
	if err != nil {
		return nil, err
	}
	if frameID == "" {
		return tab.MainFrame(), nil
	}
	return tab.Frame(frameID)
}

// locator returns the locator of a selector in a frame.
func (c *call) locator(in elementArgs) (swarm.Locator, error) {
	frame, err := c.frame(in.TabID, in.FrameID)
	if err != nil {
		return swarm.Locator{}, err
	}
	return frame.Locator(in.Selector), nil
}

// maxChars is the limit that a call asked for, or the server's.
func (c *call) maxChars(asked int) int {
	if asked > 0 {
		return asked
	}
	return c.server.maxChars
}

// handler is what mcp-go calls. It never returns an error: a failed call is a
// result that says so.
func (s *Server) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &call{server: s, tool: t.name}
		if session := server.ClientSessionFromContext(ctx); session != nil {
			c.owner = session.SessionID()
		}
		began := time.Now()
		out, err := c.do(ctx, t, request.Params.RawArguments)
		var result *mcp.CallToolResult
		if err == nil {
			result, err = success(out)
		}
		outcome := "ok"
		if cause := err; cause != nil {
			f := failureOf(t.name, cause)
			c.reportDialogs(f)
			if result, err = success(f); err != nil {
				return nil, err
			}
			result.IsError = true
			outcome = string(f.ErrorType)
			if f.ErrorType == swarm.UnexpectedError {
				// The client sees nothing of the cause; here it is.
				s.log.ErrorContext(ctx, "unexpected error", "tool", t.name, "error", cause)
			}
		}
		s.logCall(ctx, c, time.Since(began), outcome)
		return result, nil
	}
}

// do runs the tool. A panic ends the call, not the server.
func (c *call) do(ctx context.Context, t tool, args json.RawMessage) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.server.log.Error("tool panicked", "tool", t.name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in %s", t.name)
		}
	}()
	if out, err = t.run(ctx, c, args); err != nil {
		return nil, err
	}
	c.reportDialogs(out)
	return out, nil
}

// reportDialogs adds the dialogs that the call's tab has met to a result that
// has room for them.
func (c *call) reportDialogs(out any) {
	r, ok := out.(interface{ report([]swarm.Dialog) })
	if !ok || c.tab == nil {
		return
	}
	r.report(c.tab.TakeDialogs())
}

// logCall writes the one line of a call. Arguments are not in it: they may
// hold what a user typed.
func (s *Server) logCall(ctx context.Context, c *call, took time.Duration, outcome string) {
	level := slog.LevelDebug
	if outcome != "ok" {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("tool", c.tool), slog.Duration("took", took.Round(time.Millisecond)), slog.String("outcome", outcome)}
	if c.tab != nil {
		attrs = append(attrs, slog.String("tab", c.tab.ID()))
	}
	s.log.LogAttrs(ctx, level, "call", attrs...)
}
