package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto"
	proto "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Session is the line to one target, or to the browser itself. It is cdproto's cdp.Session, so the typed protocol works on it.
type Session struct {
	conn *Conn
	id   target.SessionID
	done chan struct{}

	// Guarded by conn.mu. parent is the session that the target was attached through, nil until that is known.
	err    error
	parent *Session
	subs   map[string][]*subscription
}

var _ proto.Session = (*Session)(nil)

func newSession(c *Conn, id target.SessionID) *Session {
	return &Session{conn: c, id: id, done: make(chan struct{}), subs: make(map[string][]*subscription)}
}

// ID returns the protocol's session id, empty for the browser's session.
func (s *Session) ID() target.SessionID { return s.id }

// Call sends the command, waits for its reply and decodes the result into result unless that is nil. Nothing is sent when ctx is already over.
// The error is a [*Error] if the browser refused, and else wraps why there is no reply: the context's error and cause, or why session or
// connection ended.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Err() != nil {
		return contextError(ctx, method)
	}
	return s.Send(method, params).Wait(ctx, result)
}

// Send puts the command in line for the wire and returns without waiting for anything, so that a row of commands costs one round trip. Params are
// encoded before it returns. What goes wrong, also with the encoding, is reported by [Pending.Wait]; a reply that nobody waits for is dropped.
func (s *Session) Send(method string, params any) *Pending {
	p := &Pending{session: s, method: method, done: make(chan struct{})}
	msg := &cdproto.Message{SessionID: s.id, Method: cdproto.MethodType(method)}
	if params != nil {
		b, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
		if err != nil {
			return p.failed(fmt.Errorf("encode the params: %w", err))
		}
		msg.Params = b
	}
	if err := s.enqueue(p, msg); err != nil {
		return p.failed(err)
	}
	s.conn.sent.Add(1)
	if s.conn.opts.OnSend != nil {
		s.conn.opts.OnSend(s.id, method)
	}
	return p
}

// enqueue gives the call its id and its place in the line.
func (s *Session) enqueue(p *Pending, msg *cdproto.Message) error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	c.lastID++
	p.id, msg.ID = c.lastID, c.lastID
	c.pending[p.id] = p
	c.queue = append(c.queue, msg)
	c.wake.Signal()
	return nil
}

// Subscribe queues the params of every event of the method from now on. The channel is closed after the last event when the session ends, and at
// once by the returned func, which the subscriber must call. The queue has no bound: read it.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	sub := newSubscription()
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.err != nil {
		sub.finish()
	} else {
		s.subs[method] = append(s.subs[method], sub)
	}
	go sub.pump()
	return sub.out, func() {
		c.mu.Lock()
		subs := slices.DeleteFunc(s.subs[method], func(o *subscription) bool { return o == sub })
		if len(subs) > 0 {
			s.subs[method] = subs
		} else {
			delete(s.subs, method)
		}
		c.mu.Unlock()
		sub.stop()
	}
}

// Close ends the session on this side: every pending and later call fails with the reason. It tells the browser nothing; to detach or close the
// target is a command, and the session then ends by itself. Only the first end of a session counts.
func (s *Session) Close(reason error) {
	if reason == nil {
		reason = errors.New("session closed by its owner")
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.closeSession(s, reason)
}

// Done is closed when the session is over. Every pending call has failed by then.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err returns nil while the session is open, and afterwards why it ended: [ErrDetached], the connection's [*ClosedError], or the reason given to
// Close.
func (s *Session) Err() error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.err
}
