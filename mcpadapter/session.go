package mcpadapter

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// session is what mcp-go wants to know of a client, and the owner of the
// client's tabs. It implements server.ClientSession.
type session struct {
	id            string
	initialized   atomic.Bool
	notifications chan mcp.JSONRPCNotification
}

func newSession() *session {
	// The id is random because the manager may have other owners.
	return &session{id: "stdio-" + rand.Text()[:8], notifications: make(chan mcp.JSONRPCNotification, 16)}
}

func (s *session) SessionID() string { return s.id }
func (s *session) Initialize()       { s.initialized.Store(true) }
func (s *session) Initialized() bool { return s.initialized.Load() }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	return s.notifications
}

// message is the envelope of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// params are what the connection itself reads of a message's params.
type params struct {
	RequestID json.RawMessage `json:"requestId"`
	Meta      struct {
		ProtocolVersion string          `json:"io.modelcontextprotocol/protocolVersion"`
		ProgressToken   json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// request is a request in flight.
type request struct {
	key       string
	id        json.RawMessage
	method    string
	token     json.RawMessage // of progress, nil if none is wanted
	cancel    context.CancelFunc
	abandoned bool // by the client, who wants no answer; guarded by conn.mu
}

// dispatch serves one message. Only initialize is served before the next
// message is read; every other request is on its own from here, so that no
// call holds up a ping or a cancellation.
func (c *conn) dispatch(ctx context.Context, text []byte) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			c.refuse(ctx, nil, mcp.PARSE_ERROR, "the message is not JSON")
		case text[0] == '[':
			c.refuse(ctx, nil, mcp.INVALID_REQUEST, "batches are not supported; send one message a line")
		default:
			c.refuse(ctx, nil, mcp.INVALID_REQUEST, "the message is not a JSON-RPC 2.0 object")
		}
		return
	}
	var p params
	_ = json.Unmarshal(m.Params, &p) // what is amiss with them is for the method to say

	switch {
	case m.Method == "":
		if m.Result == nil && m.Error == nil { // else an answer, to nothing that was asked
			c.refuse(ctx, nil, mcp.INVALID_REQUEST, "the message has no method")
		}
	case m.ID == nil && m.Method == string(mcp.MethodNotificationCancelled):
		c.abandon(p.RequestID)
	case m.ID == nil:
		c.handle(ctx, nil, text)
	case m.Params != nil && m.Params[0] != '{' && string(m.Params) != "null":
		c.refuse(ctx, idOf(m.ID), mcp.INVALID_PARAMS, "params must be an object")
	case !c.session.Initialized() && !beforeInitialize(m.Method, p):
		c.refuse(ctx, idOf(m.ID), mcp.INVALID_REQUEST, "not initialized: send initialize first")
	default:
		ctx, r := c.admit(ctx, m, p)
		switch {
		case r == nil:
		case m.Method == string(mcp.MethodInitialize):
			c.inOrder(ctx, func() { c.serve(ctx, r, text) })
		default:
			c.calls.Go(func() { c.serve(ctx, r, text) })
		}
	}
}

// beforeInitialize reports whether a request may come before initialize, or,
// since protocol version 2026-07-28, without it.
func beforeInitialize(method string, p params) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover:
		return true
	}
	return mcp.IsModernProtocol(p.Meta.ProtocolVersion)
}

// idOf is an id that may be echoed, or nil: a string or a number.
func idOf(raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return raw
	}
	return nil
}

// idKey is equal for equal ids, however they are escaped.
func idKey(raw json.RawMessage) string { return string(plainJSON(bytes.TrimSpace(raw))) }

// admit enters a request among those in flight before it waits for anything,
// so that it can be cancelled from now on; the context is the request's. It
// refuses one without a usable id.
func (c *conn) admit(ctx context.Context, m message, p params) (context.Context, *request) {
	id := idOf(m.ID)
	if id == nil {
		c.refuse(ctx, nil, mcp.INVALID_REQUEST, "id must be a string or a number")
		return nil, nil
	}
	r := &request{key: idKey(id), id: id, method: m.Method, token: idOf(p.Meta.ProgressToken)}
	c.mu.Lock()
	_, taken := c.inFlight[r.key]
	if !taken {
		ctx, r.cancel = context.WithCancel(ctx)
		c.inFlight[r.key] = r
	}
	c.mu.Unlock()
	if taken {
		c.refuse(ctx, id, mcp.INVALID_REQUEST, "a request with this id is still being served")
		return nil, nil
	}
	return ctx, r
}

// abandon cancels the request that the client names.
func (c *conn) abandon(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.inFlight[idKey(id)]; r != nil && r.method != string(mcp.MethodInitialize) {
		r.abandoned = true
		r.cancel()
	}
}

// serve answers a request, unless the client abandons it first.
func (c *conn) serve(ctx context.Context, r *request, text []byte) {
	defer r.cancel()
	stopProgress := c.startProgress(r)
	var answer any
	if c.takeSlot(ctx, r) {
		answer = c.handle(ctx, r.id, text)
		c.giveSlot(r)
	} else if !c.isAbandoned(r) {
		// Serving has ended. Without a slot, but cancelled, the call answers
		// at once that it was.
		answer = c.handle(ctx, r.id, text)
	}
	stopProgress()

	c.mu.Lock()
	delete(c.inFlight, r.key)
	abandoned := r.abandoned
	c.mu.Unlock()
	if !abandoned {
		c.write(answer)
	}
}

func (c *conn) isAbandoned(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.abandoned
}

// takeSlot waits until a tool call may run; it is false when the request was
// cancelled instead.
func (c *conn) takeSlot(ctx context.Context, r *request) bool {
	if r.method != string(mcp.MethodToolsCall) {
		return true
	}
	select {
	case c.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *conn) giveSlot(r *request) {
	if r.method == string(mcp.MethodToolsCall) {
		<-c.slots
	}
}

// startProgress tells a client that asked for it that a request is alive, now
// and then until it is stopped; no progress is sent after stop has returned.
func (c *conn) startProgress(r *request) (stop func()) {
	if r.token == nil {
		return func() {}
	}
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for seconds := progressEvery; ; seconds += progressEvery {
			select {
			case <-tick.C:
				c.write(progress(r.token, seconds))
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		close(stopped)
		<-ended
	}
}

func progress(token json.RawMessage, elapsed time.Duration) any {
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Message  string          `json:"message"`
	}
	return struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{mcp.JSONRPC_VERSION, "notifications/progress", params{token, int(elapsed.Seconds()), "still running after " + elapsed.String()}}
}
