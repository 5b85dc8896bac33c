package cdp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	// maxBadMessages is how many undecodable messages in a row are skipped before the connection counts as broken.
	maxBadMessages = 16

	// codeSessionNotFound is the browser's answer to a command for a session it does not have (kSessionNotFound in Chrome's crdtp).
	codeSessionNotFound = -32001
)

// Event is a protocol event as it came from the wire.
type Event struct {
	// SessionID is the session that the event arrived on, empty for the browser's own.
	SessionID target.SessionID
	// Method is the event's name, such as "Page.frameNavigated".
	Method string
	// Params is the undecoded payload. It is not reused and may be kept, but is shared with subscribers: read it, do not write to it.
	Params jsonv2.Value
}

// Options of a connection. The zero value is usable.
type Options struct {
	// Logger receives what went wrong without being anybody's call. It never receives payloads. Nil discards.
	Logger *slog.Logger

	// OnEvent is called with every event, on the reading goroutine, before any later message is delivered. It must not block; it may Send. A
	// panic is logged, and what follows is delivered as if there had been none.
	OnEvent func(Event)

	// OnSend is called for every command put on the wire, on the goroutine of its sender, before Send returns. It is there for counting.
	OnSend func(id target.SessionID, method string)
}

// Stats are the counters of a connection.
type Stats struct {
	// Sent counts commands, Received messages of every kind.
	Sent, Received int64
	// ReceivedBytes is the size of the params and results received, without the envelopes.
	ReceivedBytes int64
}

// Conn is one connection to a browser, shared by all its sessions.
type Conn struct {
	t    chromedp.Transport
	log  *slog.Logger
	opts Options
	root *Session

	// stop ends the transport, once, and with it both goroutines.
	stop func() error
	wg   sync.WaitGroup
	done chan struct{}

	sent, received, receivedBytes atomic.Int64

	// mu guards everything below, and the mutable fields of sessions and pending calls. One lock for all makes the order of ids, of the queue and
	// of Send calls the same. Nothing is decoded, written or called back under it.
	mu       sync.Mutex
	wake     sync.Cond
	err      error
	lastID   int64
	queue    []*cdproto.Message
	pending  map[int64]*Pending
	sessions map[target.SessionID]*Session
}

// New takes over the transport and starts to read it. The caller must Close the connection, also when it has ended by itself.
func New(t chromedp.Transport, opts Options) *Conn {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Conn{
		t:        t,
		log:      opts.Logger,
		opts:     opts,
		stop:     sync.OnceValue(func() error { cancel(); return t.Close() }),
		done:     make(chan struct{}),
		pending:  make(map[int64]*Pending),
		sessions: make(map[target.SessionID]*Session),
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.wake.L = &c.mu
	c.root = newSession(c, "")
	c.wg.Go(func() { c.read(ctx) })
	c.wg.Go(func() { c.write(ctx) })
	return c
}

// Browser returns the session of the browser itself, which is there from the start.
func (c *Conn) Browser() *Session { return c.root }

// Session returns the session with the id, always the same one while it is open. Sessions open by themselves when the browser announces them
// (Target.attachedToTarget); any other id opens one too, which ends with [ErrDetached] at its first reply if the browser does not know it.
func (c *Conn) Session(id target.SessionID) *Session {
	if id == "" {
		return c.root
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.sessions[id]
	if !ok {
		s = newSession(c, id)
		if c.err != nil {
			c.closeSession(s, c.err)
			return s
		}
		c.sessions[id] = s
	}
	return s
}

// Stats returns the counters since New.
func (c *Conn) Stats() Stats {
	return Stats{Sent: c.sent.Load(), Received: c.received.Load(), ReceivedBytes: c.receivedBytes.Load()}
}

// Done is closed when the connection is over. Every pending call has failed by then.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection works, and the [*ClosedError] that ended it afterwards.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection: every pending and later call fails with the reason, or with that of an earlier end. Commands not yet written are
// dropped. It returns the error of closing the transport after both goroutines have ended: no OnEvent runs any more.
func (c *Conn) Close(reason error) error {
	if reason == nil {
		reason = errors.New("closed by its owner")
	}
	c.fail(reason)
	err := c.stop()
	c.wg.Wait()
	return err
}

// fail ends the connection for the first reason it is given.
func (c *Conn) fail(reason error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = &ClosedError{Err: reason}
		c.queue = nil
		for id := range c.pending {
			c.settleLocked(id, nil, c.err)
		}
		c.closeSession(c.root, c.err)
		for _, s := range c.sessions {
			c.closeSession(s, c.err)
		}
		c.wake.Broadcast()
		close(c.done)
	}
	c.mu.Unlock()
	// A goroutine stuck in the transport is freed by closing it. The error goes to whoever calls Close.
	_ = c.stop()
}

// read delivers messages until the transport ends.
func (c *Conn) read(ctx context.Context) {
	bad := 0
	for {
		// A message of its own each time: the decoder appends into the Values it finds, so a reused one would overwrite what was handed out.
		msg := new(cdproto.Message)
		err := c.t.Read(ctx, msg)
		if err == nil {
			bad = 0
			c.deliver(msg)
			continue
		}
		// Both transports frame messages outside the JSON, so after a syntax error the next message is intact.
		var syntax *jsonv2.SyntacticError
		if bad++; !errors.As(err, &syntax) || bad > maxBadMessages {
			c.fail(err)
			return
		}
		c.log.Error("skipped an undecodable message from the browser", "id", msg.ID, "method", msg.Method, "error", err)
		if msg.ID != 0 {
			c.settle(msg.ID, nil, fmt.Errorf("decode the reply: %w", err))
		}
	}
}

// write puts queued commands on the wire until the connection is over. It is apart from read, and its queue is unbounded, so that a browser that
// does not read can stall neither the reader nor a sender.
func (c *Conn) write(ctx context.Context) {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && c.err == nil {
			c.wake.Wait()
		}
		batch := c.queue
		c.queue = nil
		over := c.err != nil
		c.mu.Unlock()
		if over {
			return
		}
		for _, msg := range batch {
			if err := c.t.Write(ctx, msg); err != nil {
				// Part of the message may be out: what follows could not be told from its rest.
				c.fail(err)
				return
			}
		}
	}
}

func (c *Conn) deliver(msg *cdproto.Message) {
	c.received.Add(1)
	c.receivedBytes.Add(int64(len(msg.Params) + len(msg.Result)))
	switch {
	case msg.ID != 0:
		c.reply(msg)
	case msg.Method != "":
		c.event(Event{SessionID: msg.SessionID, Method: string(msg.Method), Params: msg.Params})
	case msg.Error != nil:
		c.log.Error("error from the browser without a command", "code", msg.Error.Code, "message", msg.Error.Message)
	default:
		c.log.Error("message from the browser without id and method", "session", msg.SessionID)
	}
}

// reply settles the call with the message's id. The id alone decides: the answer to a command for an unknown session names no session.
func (c *Conn) reply(msg *cdproto.Message) {
	if msg.Error == nil {
		c.settle(msg.ID, msg.Result, nil)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[msg.ID]
	if p == nil {
		return
	}
	if msg.Error.Code == codeSessionNotFound && p.session != c.root {
		c.closeSession(p.session, ErrDetached)
		return
	}
	c.settleLocked(msg.ID, nil, &Error{Method: p.method, Code: msg.Error.Code, Message: msg.Error.Message})
}

func (c *Conn) event(ev Event) {
	if ev.Method == target.AttachedToTarget.Method {
		c.attached(ev)
	}
	if c.opts.OnEvent != nil {
		c.onEvent(ev)
	}
	c.publish(ev)
	if ev.Method == target.DetachedFromTarget.Method {
		c.detached(ev)
	}
}

// attached opens the session that the event announces, as a child of the session it arrived on.
func (c *Conn) attached(ev Event) {
	id := c.subject(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	parent := c.lookup(ev.SessionID)
	if id == "" || parent == nil || parent.err != nil {
		return
	}
	if c.sessions[id] == nil {
		c.sessions[id] = newSession(c, id)
	}
	c.sessions[id].parent = parent
}

func (c *Conn) detached(ev Event) {
	id := c.subject(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		c.closeSession(s, ErrDetached)
	}
}

// subject returns the session that an attached or detached event is about.
func (c *Conn) subject(ev Event) target.SessionID {
	var params struct {
		SessionID target.SessionID `json:"sessionId"`
	}
	if err := jsonv2.Unmarshal(ev.Params, &params, chromedp.DefaultUnmarshalOptions); err != nil {
		c.log.Error("undecodable event", "method", ev.Method, "error", err)
	}
	return params.SessionID
}

func (c *Conn) publish(ev Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.lookup(ev.SessionID); s != nil {
		for _, sub := range s.subs[ev.Method] {
			sub.push(ev.Params)
		}
	}
}

func (c *Conn) onEvent(ev Event) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("panic in an event handler", "method", ev.Method, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	c.opts.OnEvent(ev)
}

// lookup returns the open session with the id, or nil. The caller holds mu.
func (c *Conn) lookup(id target.SessionID) *Session {
	if id == "" {
		return c.root
	}
	return c.sessions[id]
}

// settle ends the call with the id, if it is still pending. Who settles first wins; later outcomes, such as a late reply, are dropped.
func (c *Conn) settle(id int64, result jsonv2.Value, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settleLocked(id, result, err)
}

func (c *Conn) settleLocked(id int64, result jsonv2.Value, err error) {
	p, ok := c.pending[id]
	if !ok {
		return
	}
	delete(c.pending, id)
	p.result, p.err = result, err
	close(p.done)
}

// closeSession ends the session for the first reason it is given, and its children with it: of those Chrome says nothing when their parent is
// detached by command. The caller holds mu.
func (c *Conn) closeSession(s *Session, reason error) {
	if s.err != nil {
		return
	}
	s.err = reason
	delete(c.sessions, s.id)
	for id, p := range c.pending {
		if p.session == s {
			c.settleLocked(id, nil, reason)
		}
	}
	for _, subs := range s.subs {
		for _, sub := range subs {
			sub.finish()
		}
	}
	s.subs = nil
	close(s.done)
	for _, child := range c.sessions {
		if child.parent == s {
			c.closeSession(child, reason)
		}
	}
}
