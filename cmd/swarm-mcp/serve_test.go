package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// fakePool starts and closes as it is told, and counts.
type fakePool struct {
	start            func(ctx context.Context) error
	closeTakes       time.Duration
	started, stopped atomic.Int32
}

func (f *fakePool) Start(ctx context.Context) error {
	f.started.Add(1)
	return f.start(ctx)
}

func (f *fakePool) Close() error {
	time.Sleep(f.closeTakes)
	f.stopped.Add(1)
	return nil
}

type serverFunc func(ctx context.Context, in io.Reader, out io.Writer) error

func (f serverFunc) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return f(ctx, in, out)
}

// readToEnd is a server that reads and answers nothing.
func readToEnd(_ context.Context, in io.Reader, _ io.Writer) error {
	_, err := io.Copy(io.Discard, in)
	return err
}

func startAtOnce(context.Context) error { return nil }

func startUntilCancelled(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// noExit is for tests in which the process ends by itself.
func noExit(t *testing.T) func(int) {
	return func(code int) { t.Errorf("the process was ended with %d", code) }
}

func TestServeEndsWithItsInputWhileTheBrowserStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := &fakePool{start: startUntilCancelled}
		in, client := io.Pipe()
		time.AfterFunc(time.Second, func() { client.Close() })
		err := serve(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), m, serverFunc(readToEnd),
			process{in: in, out: io.Discard, exit: noExit(t)})
		assert.NoError(t, err)
		assert.EqualValues(t, 1, m.started.Load(), "started")
		assert.EqualValues(t, 1, m.stopped.Load(), "closed")
		assert.Empty(t, log.String(), "a start that was cancelled is no failure")
	})
}

func TestServeStartsNoBrowserForAClientThatLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakePool{start: startAtOnce}
		err := serve(t.Context(), slog.New(slog.DiscardHandler), m, serverFunc(readToEnd),
			process{in: strings.NewReader("{}\n"), out: io.Discard, exit: noExit(t)})
		assert.NoError(t, err)
		assert.Zero(t, m.started.Load())
		assert.EqualValues(t, 1, m.stopped.Load())
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := &fakePool{start: startAtOnce}
		time.AfterFunc(time.Minute, cancel)
		err := serve(ctx, slog.New(slog.DiscardHandler), m,
			serverFunc(func(ctx context.Context, _ io.Reader, _ io.Writer) error {
				<-ctx.Done()
				return ctx.Err()
			}),
			process{in: strings.NewReader(""), out: io.Discard, exit: noExit(t)})
		assert.NoError(t, err)
		assert.EqualValues(t, 1, m.stopped.Load())
	})
}

func TestServeTakesABrokenPipeForAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, broken := range []error{syscall.EPIPE, io.ErrClosedPipe} {
			err := serve(t.Context(), slog.New(slog.DiscardHandler), &fakePool{start: startAtOnce},
				serverFunc(func(context.Context, io.Reader, io.Writer) error { return broken }),
				process{exit: noExit(t)})
			assert.NoError(t, err)
		}
		other := errors.New("other")
		err := serve(t.Context(), slog.New(slog.DiscardHandler), &fakePool{start: startAtOnce},
			serverFunc(func(context.Context, io.Reader, io.Writer) error { return other }),
			process{exit: noExit(t)})
		assert.ErrorIs(t, err, other)
	})
}

func TestServeGoesOnWithoutABrowserAndSaysWhatToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		in, client := io.Pipe()
		time.AfterFunc(time.Minute, func() { client.Close() })
		began := time.Now()
		err := serve(t.Context(), slog.New(slog.NewTextHandler(&log, nil)),
			&fakePool{start: func(context.Context) error { return errors.New("no browser was found") }},
			serverFunc(readToEnd), process{in: in, out: io.Discard, exit: noExit(t)})
		assert.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(began))
		assert.Contains(t, log.String(), "no browser was found")
		assert.Contains(t, log.String(), "swarm-mcp install")
	})
}

func TestAShutdownThatHangsEndsTheProcess(t *testing.T) {
	for name, server := range map[string]serverFunc{
		"closing hangs": readToEnd,
		"serving hangs after the end of input": func(ctx context.Context, in io.Reader, _ io.Writer) error {
			_, _ = io.Copy(io.Discard, in)
			time.Sleep(time.Hour)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var ended atomic.Int64
				_ = serve(t.Context(), slog.New(slog.DiscardHandler), &fakePool{start: startAtOnce, closeTakes: time.Hour},
					server, process{in: strings.NewReader(""), out: io.Discard, exit: func(code int) {
						assert.Equal(t, exitFailed, code)
						ended.Store(int64(time.Since(began)))
					}})
				assert.Equal(t, shutdownLimit, time.Duration(ended.Load()))
			})
		})
	}
}
