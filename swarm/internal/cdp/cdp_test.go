package cdp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp/cdptest"
)

// connect returns a connection to a new peer. Both end with the test.
func connect(t *testing.T, opts Options) (*Conn, *cdptest.Peer) {
	t.Helper()
	peer := cdptest.New(t)
	peer.Handle("Test.echo", func(params jsonv2.Value) (any, error) { return params, nil })
	c := New(peer.Transport(), opts)
	t.Cleanup(func() { assert.NoError(t, c.Close(nil)) })
	return c, peer
}

// soon is a context that no working test outlives.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// settled returns when everything the peer has sent before is delivered.
func settled(t *testing.T, c *Conn) {
	t.Helper()
	require.NoError(t, c.Browser().Call(soon(t), "Test.echo", nil, nil))
}

func attach(peer *cdptest.Peer, parent, id target.SessionID) {
	peer.Emit(parent, "Target.attachedToTarget", map[string]any{"sessionId": id})
}

func detach(peer *cdptest.Peer, parent, id target.SessionID) {
	peer.Emit(parent, "Target.detachedFromTarget", map[string]any{"sessionId": id})
}

// size returns how many sessions and pending calls the connection remembers.
func size(c *Conn) (sessions, pending int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sessions), len(c.pending)
}

type number struct {
	N int `json:"n"`
}

func TestRepliesFindTheirCalls(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Drop("Test.slow")
	first, second := c.Session("a").Send("Test.slow", number{1}), c.Session("b").Send("Test.slow", number{2})
	one, two := peer.Expect("Test.slow"), peer.Expect("Test.slow")
	assert.Equal(t, target.SessionID("a"), one.SessionID)
	peer.Answer(two, number{20}, nil)
	peer.Answer(one, number{10}, nil)

	var got number
	require.NoError(t, second.Wait(soon(t), &got))
	assert.Equal(t, 20, got.N)
	require.NoError(t, first.Wait(soon(t), &got))
	assert.Equal(t, 10, got.N)
	require.NoError(t, first.Wait(soon(t), &got), "a reply may be waited for twice")
}

func TestTypedCommands(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Handle("Runtime.evaluate", func(jsonv2.Value) (any, error) {
		return map[string]any{"result": map[string]any{"type": "number", "value": 2}}, nil
	})
	reply := Start(c.Session("a"), runtime.Evaluate, runtime.EvaluateParams{Expression: "1+1"})
	result, err := reply.Wait(soon(t))
	require.NoError(t, err)
	assert.Equal(t, "2", string(result.Result.Value))
	assert.JSONEq(t, `{"expression":"1+1"}`, string(peer.Expect("Runtime.evaluate").Params))
}

func TestProtocolError(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Handle("Page.navigate", func(jsonv2.Value) (any, error) {
		return nil, &cdproto.Error{Code: -32602, Message: "Invalid parameters"}
	})
	err := c.Session("a").Call(soon(t), "Page.navigate", nil, nil)
	var refused *Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, Error{Method: "Page.navigate", Code: -32602, Message: "Invalid parameters"}, *refused)
	assert.EqualError(t, err, "Page.navigate: Invalid parameters (-32602)")
}

func TestParamsAndResultsThatDoNotFit(t *testing.T) {
	c, peer := connect(t, Options{})
	err := c.Browser().Call(soon(t), "Test.echo", map[string]any{"f": func() {}}, nil)
	assert.ErrorContains(t, err, "Test.echo: encode the params")
	assert.Empty(t, peer.Commands(), "nothing is sent")

	var got number
	err = c.Browser().Call(soon(t), "Test.echo", map[string]any{"n": "text"}, &got)
	assert.ErrorContains(t, err, "Test.echo: decode the result")
}

// The order the library is built on: who has a reply has seen the effect of every event before it.
func TestEventsAreAppliedBeforeLaterReplies(t *testing.T) {
	var applied int // written by the reader, read after replies: the race detector watches the guarantee
	c, peer := connect(t, Options{OnEvent: func(ev Event) {
		var got number
		assert.NoError(t, jsonv2.Unmarshal(ev.Params, &got))
		applied = got.N
	}})
	n := 0
	peer.Handle("Test.step", func(jsonv2.Value) (any, error) {
		n++
		peer.Emit("a", "Test.event", number{n})
		return nil, nil
	})
	for i := 1; i <= 200; i++ {
		require.NoError(t, c.Session("b").Call(soon(t), "Test.step", nil, nil))
		require.Equal(t, i, applied)
	}
}

// Also a check that the payloads of the codec may be kept.
func TestEventsKeepOrderAndPayload(t *testing.T) {
	var events []Event
	c, peer := connect(t, Options{OnEvent: func(ev Event) { events = append(events, ev) }})
	for i := range 100 {
		peer.Emit("a", "Test.event", number{i})
	}
	settled(t, c)
	require.Len(t, events, 100)
	for i, ev := range events {
		assert.Equal(t, Event{SessionID: "a", Method: "Test.event", Params: jsonv2.Value(fmt.Sprintf(`{"n":%d}`, i))}, ev)
	}
}

func TestSendsKeepTheirOrderOnTheWire(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	c, peer := connect(t, Options{OnSend: func(id target.SessionID, method string) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, string(id)+" "+method)
	}})
	const senders, each = 8, 100
	var wg sync.WaitGroup
	for g := range senders {
		wg.Go(func() {
			s := c.Session(target.SessionID(fmt.Sprint(g)))
			for i := range each {
				s.Send("Test.echo", number{i})
			}
		})
	}
	wg.Wait()
	settled(t, c)

	next := make(map[target.SessionID]int)
	var lastID int64
	for _, cmd := range peer.Commands()[:senders*each] {
		require.Greater(t, cmd.ID, lastID)
		require.JSONEq(t, fmt.Sprintf(`{"n":%d}`, next[cmd.SessionID]), string(cmd.Params))
		lastID = cmd.ID
		next[cmd.SessionID]++
	}
	assert.Len(t, next, senders)
	assert.Len(t, sent, senders*each+1)
	assert.EqualValues(t, senders*each+1, c.Stats().Sent)
	_, pending := size(c)
	assert.Zero(t, pending, "calls that nobody waits for are not kept")
}

func TestStats(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Emit("", "Test.event", number{1})
	require.NoError(t, c.Browser().Call(soon(t), "Test.echo", number{22}, nil))
	assert.Equal(t, Stats{Sent: 1, Received: 2, ReceivedBytes: int64(len(`{"n":1}`) + len(`{"n":22}`))}, c.Stats())
}

func TestSubscribe(t *testing.T) {
	c, peer := connect(t, Options{})
	s := c.Session("a")
	events, cancel := s.Subscribe("Test.event")
	cancelled, cancelOther := s.Subscribe("Test.event")
	cancelOther()
	cancelOther()
	for i := range 500 {
		peer.Emit("a", "Test.event", number{i})
		peer.Emit("b", "Test.event", number{-1})
		peer.Emit("a", "Test.other", number{-1})
	}
	settled(t, c)
	s.Close(errors.New("enough"))
	i := 0
	for params := range events { // what came before the end is still delivered
		require.JSONEq(t, fmt.Sprintf(`{"n":%d}`, i), string(params))
		i++
	}
	assert.Equal(t, 500, i)
	cancel()
	_, open := <-cancelled
	assert.False(t, open)
	late, cancelLate := s.Subscribe("Test.event")
	defer cancelLate()
	_, open = <-late
	assert.False(t, open, "a closed session has no events")
}
