package mcpadapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// defaultMaxLine bounds one message, in bytes; a longer one is refused
	// and skipped.
	defaultMaxLine = 64 << 20
	// endGrace is how long the calls in flight may go on after the end of
	// input: enough for an answer that is about to come.
	endGrace = 2 * time.Second
	// endPatience is how long cancelled calls get to end. Only one that
	// ignores its context, or an output that nobody reads, takes longer.
	endPatience = time.Second
	// progressEvery is well below the 60 seconds after which clients give up
	// on a call that shows no sign of life.
	progressEvery = 10 * time.Second
)

// Why a connection ended, as the cause of its context.
var (
	errInputEnded = errors.New("the client closed its end")
	errOutput     = errors.New("write the answer")
)

// ServeStdio serves one client, whose messages are the lines of in; answers go
// to out, a line each, in the order in which they become ready. It returns
// when in ends, ctx does or out is closed, and then no call is running and the
// client's tabs are released.
//
// At the end of in, calls get a moment to finish and be answered before they
// are cancelled; at the end of ctx they do not. The error is nil in these
// cases and when the client closed out. A read of in that is under way when
// ctx ends goes on until in has more or is closed.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	session := newSession()
	if err := s.mcp.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("register the session: %w", err)
	}
	defer s.release(session.SessionID())
	defer s.mcp.UnregisterSession(ctx, session.SessionID())

	ctx, cancel := context.WithCancelCause(s.mcp.WithContext(ctx, session))
	c := &conn{
		server:   s,
		session:  session,
		out:      out,
		fail:     cancel,
		inFlight: map[string]*request{},
		slots:    make(chan struct{}, s.workers),
	}
	err := c.read(ctx, in)
	grace := endGrace
	if err != nil {
		grace = 0
	}
	c.finish(ctx, grace, cancel)
	if cause := context.Cause(ctx); errors.Is(cause, errOutput) && !clientGone(cause) {
		return cause
	}
	if err == ctx.Err() {
		return nil
	}
	return err
}

// clientGone reports whether writing failed because nobody reads any more.
func clientGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// conn is one client.
type conn struct {
	server  *Server
	session *session
	out     io.Writer
	fail    context.CancelCauseFunc // ends the connection
	slots   chan struct{}           // held by each tool call that runs
	calls   sync.WaitGroup          // requests in flight

	writing sync.Mutex // held to write a line
	broken  bool       // writing has failed

	mu       sync.Mutex
	inFlight map[string]*request
}

// read dispatches the messages of in until it ends (nil) or ctx does.
func (c *conn) read(ctx context.Context, in io.Reader) error {
	lines := make(chan line)
	ended := make(chan struct{})
	defer close(ended)
	go readLines(in, c.server.maxLine, lines, ended)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l := <-lines:
			switch {
			case l.err == io.EOF:
				return nil
			case l.err != nil:
				return fmt.Errorf("read the input: %w", l.err)
			case l.tooLong:
				c.refuse(ctx, nil, mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes", c.server.maxLine))
			default:
				c.dispatch(ctx, l.text)
			}
		}
	}
}

// finish waits until no request is in flight: for as long as grace, then by
// cancelling them.
func (c *conn) finish(ctx context.Context, grace time.Duration, cancel context.CancelCauseFunc) {
	idle := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(idle)
	}()
	defer cancel(errInputEnded)
	select {
	case <-idle:
		return
	case <-ctx.Done():
	case <-time.After(grace):
	}
	cancel(errInputEnded)
	select {
	case <-idle:
	case <-time.After(endPatience):
		c.server.log.Warn("calls still running after they were cancelled", "session", c.session.SessionID())
	}
}

// write writes v as a line, after the notifications that mcp-go has for the
// client, so that none comes after the answer that it belongs before. The
// first failure ends the connection.
func (c *conn) write(v any) {
	text, err := compactJSON(v)
	c.writing.Lock()
	defer c.writing.Unlock()
	for more := true; more; {
		select {
		case n := <-c.session.notifications:
			c.writeLine(compactJSON(n))
		default:
			more = false
		}
	}
	c.writeLine(text, err)
}

func (c *conn) writeLine(text []byte, err error) {
	if c.broken {
		return
	}
	if err == nil {
		_, err = c.out.Write(append(text, '\n'))
	}
	if err != nil {
		c.broken = true
		c.fail(fmt.Errorf("%w: %w", errOutput, err))
	}
}

// response is a JSON-RPC response. mcp-go's own type would turn large numeric
// ids into floats; this one echoes them.
type response struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

// refuse answers a message that is not a request, or not one that can be
// served; id is nil when it has none.
func (c *conn) refuse(ctx context.Context, id json.RawMessage, code int, message string) {
	c.inOrder(ctx, func() { c.write(refusal(id, code, message)) })
}

// inOrder runs f before the next message is read, or until the connection
// ends: writing blocks as long as the client does not read.
func (c *conn) inOrder(ctx context.Context, f func()) {
	done := make(chan struct{})
	c.calls.Go(func() {
		defer close(done)
		f()
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func refusal(id json.RawMessage, code int, message string) response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: &mcp.JSONRPCErrorDetails{Code: code, Message: message}}
}

// handle has mcp-go serve a message. Tools recover for themselves; this is for
// a panic in between.
func (c *conn) handle(ctx context.Context, id, message json.RawMessage) (resp any) {
	defer func() {
		if r := recover(); r != nil {
			c.server.log.Error("serving a message panicked", "panic", r, "stack", string(debug.Stack()))
			resp = refusal(id, mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	switch m := c.server.mcp.HandleMessage(ctx, message).(type) {
	case mcp.JSONRPCResponse:
		return response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: m.Result}
	case mcp.JSONRPCError:
		return response{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: &m.Error}
	default:
		return refusal(id, mcp.INTERNAL_ERROR, "the request has no answer")
	}
}

// line is what was read: text, or why there is none.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// readLines sends the lines of in, without those that are blank, and last the
// error that ended it.
func readLines(in io.Reader, limit int, lines chan<- line, ended <-chan struct{}) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l := readLine(r, limit)
		if l.err == nil && !l.tooLong && len(l.text) == 0 {
			continue
		}
		select {
		case lines <- l:
		case <-ended:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads to the next newline, or to the end of in; an error is of a
// read that had no text.
func readLine(r *bufio.Reader, limit int) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.tooLong = l.tooLong || len(l.text)+len(part) > limit; l.tooLong {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		l.text = bytes.TrimSpace(l.text)
		if err != nil && len(l.text) == 0 && !l.tooLong {
			l.err = err
		}
		return l
	}
}
