package cdp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp/cdptest"
)

func TestCloseSession(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Drop("Test.slow")
	s, other := c.Session("a"), c.Session("b")
	pending, spared := s.Send("Test.slow", nil), other.Send("Test.slow", nil)
	mine, theirs := peer.Expect("Test.slow"), peer.Expect("Test.slow")

	crashed := errors.New("tab crashed")
	s.Close(crashed)
	s.Close(errors.New("a second end does not count"))
	<-s.Done()
	assert.Equal(t, crashed, s.Err())
	err := pending.Wait(soon(t), nil)
	assert.ErrorIs(t, err, crashed)
	assert.EqualError(t, err, "Test.slow: tab crashed")
	assert.ErrorIs(t, s.Call(soon(t), "Test.echo", nil, nil), crashed)

	peer.Answer(mine, nil, nil) // a late reply is nobody's
	peer.Answer(theirs, nil, nil)
	assert.NoError(t, spared.Wait(soon(t), nil))
	assert.NoError(t, other.Err())
	assert.NotSame(t, s, c.Session("a"))
}

func TestDetachedSession(t *testing.T) {
	var c *Conn
	var seen error
	ready := make(chan struct{})
	c, peer := connect(t, Options{OnEvent: func(ev Event) {
		<-ready
		if ev.Method == "Target.detachedFromTarget" {
			seen = c.Session("page").Err()
		}
	}})
	close(ready)
	peer.Drop("Test.slow")
	attach(peer, "", "page")
	attach(peer, "page", "iframe")
	attach(peer, "page", "gone")
	detach(peer, "page", "gone")
	attach(peer, "", "other")
	settled(t, c)
	sessions, _ := size(c)
	require.Equal(t, 3, sessions)

	page, iframe := c.Session("page"), c.Session("iframe")
	onPage, onIframe := page.Send("Test.slow", nil), iframe.Send("Test.slow", nil)
	peer.Expect("Test.slow")
	peer.Expect("Test.slow")
	detach(peer, "", "page")
	assert.ErrorIs(t, onPage.Wait(soon(t), nil), ErrDetached)
	assert.NoError(t, seen, "OnEvent sees the session still open")
	assert.ErrorIs(t, onIframe.Wait(soon(t), nil), ErrDetached, "a child ends with its parent")
	assert.NotErrorIs(t, page.Err(), ErrClosed)
	assert.NoError(t, c.Session("other").Err())
	sessions, _ = size(c)
	assert.Equal(t, 1, sessions)
}

func TestSessionUnknownToTheBrowser(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Handle("Test.echo", func(jsonv2.Value) (any, error) {
		return nil, &cdproto.Error{Code: -32001, Message: "Session with given id not found."}
	})
	s := c.Session("outlived")
	assert.ErrorIs(t, s.Call(soon(t), "Test.echo", nil, nil), ErrDetached)
	<-s.Done()
	sessions, _ := size(c)
	assert.Zero(t, sessions)
}

func TestThousandSessionsLeaveNothing(t *testing.T) {
	c, peer := connect(t, Options{})
	for i := range 1000 {
		id := target.SessionID(fmt.Sprint(i))
		attach(peer, "", id)
		s := c.Session(id)
		s.Send("Test.echo", number{i})
		_, cancel := s.Subscribe("Test.event")
		detach(peer, "", id)
		<-s.Done()
		cancel()
	}
	settled(t, c)
	sessions, pending := size(c)
	assert.Zero(t, sessions)
	assert.Zero(t, pending)
}

func TestBrowserHangsUp(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Drop("Test.slow")
	calls := []*Pending{c.Browser().Send("Test.slow", nil), c.Session("a").Send("Test.slow", nil), c.Session("b").Send("Test.slow", nil)}
	for range calls {
		peer.Expect("Test.slow")
	}
	peer.Close()
	for _, p := range calls {
		err := p.Wait(soon(t), nil)
		assert.ErrorIs(t, err, ErrClosed)
		assert.ErrorIs(t, err, io.EOF)
		var closed *ClosedError
		require.ErrorAs(t, err, &closed)
		assert.Same(t, c.Err(), closed, "one reason for all")
	}
	<-c.Done()
	assert.ErrorIs(t, c.Session("a").Err(), ErrClosed)
	assert.ErrorIs(t, c.Session("new").Call(soon(t), "Test.echo", nil, nil), ErrClosed)
	sessions, pending := size(c)
	assert.Zero(t, sessions)
	assert.Zero(t, pending)
}

func TestCutConnection(t *testing.T) {
	peer := cdptest.New(t)
	peer.Handle("Test.echo", func(params jsonv2.Value) (any, error) { return params, nil })
	c := New(cdptest.Bend(peer.Transport(), cdptest.CutAfter(4)), Options{})
	for range 2 {
		require.NoError(t, c.Browser().Call(soon(t), "Test.echo", nil, nil))
	}
	err := c.Browser().Call(soon(t), "Test.echo", nil, nil)
	assert.ErrorIs(t, err, ErrClosed)
	assert.NoError(t, c.Close(nil))
}

func TestLostReplyEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := cdptest.New(t)
		lost := func(_ int64, sent bool, _ *cdproto.Message) cdptest.Fate {
			return cdptest.Fate{Drop: !sent, Delay: time.Second}
		}
		c := New(cdptest.Bend(peer.Transport(), lost), Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		err := c.Browser().Call(ctx, "Test.any", nil, nil)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualError(t, err, "Test.any: no reply: context deadline exceeded")
		assert.Equal(t, time.Minute, time.Since(start))
		assert.NoError(t, c.Close(nil))
	})
}

func TestContextEnds(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Drop("Test.slow")
	s := c.Session("a")
	ctx, cancel := context.WithCancelCause(t.Context())
	p := s.Send("Test.slow", nil)
	late := peer.Expect("Test.slow")
	why := errors.New("the client went away")
	cancel(why)
	err := p.Wait(ctx, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, why)
	assert.EqualError(t, err, "Test.slow: no reply: context canceled: the client went away")
	_, pending := size(c)
	assert.Zero(t, pending, "the id is forgotten")

	peer.Answer(late, nil, nil)
	settled(t, c)
	assert.ErrorIs(t, p.Wait(soon(t), nil), why, "a given up call stays given up")

	sent := c.Stats().Sent
	assert.ErrorIs(t, s.Call(ctx, "Test.slow", nil, nil), why)
	assert.Equal(t, sent, c.Stats().Sent, "a call that is over is not sent")
}

// A browser that does not read fills the pipe: neither senders nor the reader may wait for it.
func TestSendFromOnEventToABrowserThatDoesNotRead(t *testing.T) {
	var c *Conn
	ready := make(chan struct{})
	handled := make(chan struct{}, 100)
	c, peer := connect(t, Options{OnEvent: func(ev Event) {
		<-ready
		c.Session(ev.SessionID).Send("Test.echo", map[string]string{"text": strings.Repeat("x", 10_000)})
		handled <- struct{}{}
	}})
	close(ready)
	peer.Pause()
	for range 100 {
		peer.Emit("a", "Test.event", nil)
	}
	for range 100 {
		<-handled
	}
	peer.Resume()
	settled(t, c)
	assert.Len(t, peer.Commands(), 101)
}

func TestCloseWithAFullPipe(t *testing.T) {
	c, peer := connect(t, Options{})
	peer.Pause()
	defer peer.Resume()
	p := c.Browser().Send("Test.echo", strings.Repeat("x", 1<<20))
	done := errors.New("done")
	assert.NoError(t, c.Close(done))
	assert.ErrorIs(t, p.Wait(soon(t), nil), done)
}

func TestPanicInOnEvent(t *testing.T) {
	var logged bytes.Buffer
	c, peer := connect(t, Options{
		Logger:  slog.New(slog.NewTextHandler(&logged, nil)),
		OnEvent: func(ev Event) { panic("in the handler") },
	})
	attach(peer, "", "a")
	settled(t, c)
	s := c.Session("a")
	detach(peer, "", "a")
	<-s.Done()
	settled(t, c)
	assert.Contains(t, logged.String(), "in the handler")
	assert.Contains(t, logged.String(), "Target.detachedFromTarget")
}

func TestUndecodableMessage(t *testing.T) {
	var logged bytes.Buffer
	c, peer := connect(t, Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	peer.Drop("Test.slow")
	p := c.Browser().Send("Test.slow", nil)
	id := peer.Expect("Test.slow").ID
	peer.SendRaw("not JSON")
	peer.SendRaw(`{"neither":"id nor method"}`)
	peer.SendRaw(fmt.Sprintf(`{"id":%d,"result":{"broken":}}`, id))
	assert.ErrorContains(t, p.Wait(soon(t), nil), "Test.slow: decode the reply", "a call is not left without an answer")
	settled(t, c)
	assert.Equal(t, 3, strings.Count(logged.String(), "level=ERROR"))

	for range maxBadMessages + 1 {
		peer.SendRaw("not JSON")
	}
	<-c.Done()
	var syntax *jsonv2.SyntacticError
	assert.ErrorAs(t, c.Err(), &syntax)
	<-peer.Done() // hung up on without waiting for Close
}

// synctest fails the test when a goroutine outlives it.
func TestNoGoroutineOutlivesClose(t *testing.T) {
	for name, end := range map[string]func(*Conn, *cdptest.Peer){
		"closed here":  func(*Conn, *cdptest.Peer) {},
		"closed there": func(c *Conn, p *cdptest.Peer) { p.Close(); <-c.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := cdptest.New(t)
				c := New(peer.Transport(), Options{})
				events, _ := c.Session("a").Subscribe("Test.event")
				_, cancel := c.Session("a").Subscribe("Test.event")
				cancel()
				c.Session("a").Send("Test.any", nil)
				end(c, peer)
				assert.NoError(t, c.Close(nil))
				_, open := <-events
				assert.False(t, open)
				assert.NoError(t, c.Close(nil), "closing twice is no error")
			})
		})
	}
}
