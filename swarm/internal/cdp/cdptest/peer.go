package cdptest

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// expectTimeout is how long Expect waits before it fails the test. It bounds a broken test and times nothing.
const expectTimeout = 10 * time.Second

// Command is a command as the peer received it.
type Command struct {
	ID        int64
	SessionID target.SessionID
	Method    string
	Params    jsonv2.Value
}

// Handler answers a command. A *cdproto.Error goes out as it is, any other error with the code -32000.
type Handler = func(params jsonv2.Value) (result any, err error)

// Peer plays the browser. A method without a handler is answered as Chrome answers an unknown one, with the code -32601.
type Peer struct {
	t      testing.TB
	conn   *chromedp.PipeConn
	client *chromedp.PipeConn
	raw    io.Writer
	done   chan struct{}

	// gate is held while the peer does not read.
	gate sync.Mutex

	mu       sync.Mutex
	handlers map[string]Handler
	received []Command
	// expected counts how many commands of each method Expect has returned.
	expected map[string]int
	arrived  chan struct{}
}

// New starts a peer. The test ends it if it does not Close it. The pipes have no buffer: a peer that is paused blocks its client's next write.
func New(t testing.TB) *Peer {
	fromClient, toPeer := io.Pipe()
	fromPeer, toClient := io.Pipe()
	p := &Peer{
		t:        t,
		conn:     chromedp.NewPipeConn(fromClient, toClient),
		client:   chromedp.NewPipeConn(fromPeer, toPeer),
		raw:      toClient,
		done:     make(chan struct{}),
		handlers: make(map[string]Handler),
		expected: make(map[string]int),
		arrived:  make(chan struct{}),
	}
	go p.serve()
	t.Cleanup(p.Close)
	return p
}

// Transport returns the client's end. It is one and the same each time.
func (p *Peer) Transport() chromedp.Transport { return p.client }

// Handle answers the method from now on. Handlers run one at a time, in the order of the commands.
func (p *Peer) Handle(method string, h Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handlers[method] = h
}

// Drop leaves the method unanswered from now on, for the test to Answer or not.
func (p *Peer) Drop(method string) {
	p.Handle(method, func(jsonv2.Value) (any, error) { return nil, errDropped })
}

var errDropped = errors.New("not answered")

// Emit sends an event; params are encoded as JSON.
func (p *Peer) Emit(session target.SessionID, method string, params any) {
	p.write(&cdproto.Message{SessionID: session, Method: cdproto.MethodType(method), Params: p.encode(params)})
}

// Answer replies to a command that was dropped. It does not check that there was one: late and second replies can be made.
func (p *Peer) Answer(c Command, result any, err error) {
	msg := &cdproto.Message{ID: c.ID, SessionID: c.SessionID}
	var refused *cdproto.Error
	switch {
	case errors.As(err, &refused):
		msg.Error = refused
	case err != nil:
		msg.Error = &cdproto.Error{Code: -32000, Message: err.Error()}
	case result == nil:
		msg.Result = jsonv2.Value("{}")
	default:
		msg.Result = p.encode(result)
	}
	p.write(msg)
}

// SendRaw sends bytes as one message, whatever they are.
func (p *Peer) SendRaw(message string) {
	_, _ = io.WriteString(p.raw, message+"\x00")
}

// Expect waits for the next command of the method that no Expect has returned yet.
func (p *Peer) Expect(method string) Command {
	p.t.Helper()
	timeout := time.NewTimer(expectTimeout)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		seen := 0
		for _, c := range p.received {
			if c.Method != method {
				continue
			}
			if seen++; seen > p.expected[method] {
				p.expected[method]++
				p.mu.Unlock()
				return c
			}
		}
		arrived := p.arrived
		p.mu.Unlock()
		select {
		case <-arrived:
		case <-p.done:
			p.t.Fatalf("the connection ended before a command %s", method)
		case <-timeout.C:
			p.t.Fatalf("no command %s arrived", method)
		}
	}
}

// Commands returns what was received so far, in order.
func (p *Peer) Commands() []Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Command(nil), p.received...)
}

// Pause makes the peer stop reading, at the latest after the command it is at, until Resume.
func (p *Peer) Pause() { p.gate.Lock() }

// Resume ends a Pause.
func (p *Peer) Resume() { p.gate.Unlock() }

// Done is closed when the connection has ended, whoever ended it.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Close hangs up, as a browser that exits does, and waits for the peer's goroutine. A paused peer must be resumed first.
func (p *Peer) Close() {
	_ = p.conn.Close()
	<-p.done
}

func (p *Peer) serve() {
	defer close(p.done)
	for {
		msg := new(cdproto.Message)
		if err := p.conn.Read(context.Background(), msg); err != nil {
			return
		}
		p.gate.Lock()
		h, c := p.record(msg)
		p.gate.Unlock()
		if h == nil {
			p.Answer(c, nil, &cdproto.Error{Code: -32601, Message: "'" + c.Method + "' wasn't found"})
			continue
		}
		if result, err := h(c.Params); err != errDropped {
			p.Answer(c, result, err)
		}
	}
}

func (p *Peer) record(msg *cdproto.Message) (Handler, Command) {
	c := Command{ID: msg.ID, SessionID: msg.SessionID, Method: string(msg.Method), Params: msg.Params}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = append(p.received, c)
	close(p.arrived)
	p.arrived = make(chan struct{})
	return p.handlers[c.Method], c
}

func (p *Peer) encode(v any) jsonv2.Value {
	if v == nil {
		return jsonv2.Value("{}")
	}
	b, err := jsonv2.Marshal(v, chromedp.DefaultMarshalOptions)
	if err != nil {
		// Not Fatal: this may be the peer's goroutine.
		p.t.Errorf("encode %T: %v", v, err)
		return jsonv2.Value("{}")
	}
	return b
}

// write sends a message unless the client has hung up, which is its right.
func (p *Peer) write(msg *cdproto.Message) {
	_ = p.conn.Write(context.Background(), msg)
}
