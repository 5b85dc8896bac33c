package frames

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errTest = errors.New("the reason")

// begin starts a wait inside a synctest bubble and returns its result once it is over.
func begin(ctx context.Context, r *Registry, cond Condition) <-chan error {
	done := make(chan error, 1)
	go func() { done <- r.Wait(ctx, cond) }()
	synctest.Wait()
	return done
}

func never(View) (bool, error) { return false, nil }

func TestWaitSeesEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTab()
		// The page replaces itself as it loads: L4 is loaded for a few events, and no longer when a waiter could be scheduled.
		done := begin(t.Context(), r, func(v View) (bool, error) {
			m, _ := v.Main()
			return m.Loader == "L4" && m.Marks.Has(Load), nil
		})
		for _, l := range readLog(t, "testdata/replaced.jsonl") {
			play(t, r, l)
		}
		require.NoError(t, <-done)
		assert.Empty(t, r.waiters)
	})
}

func TestWaitEnds(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		r := newTab()
		r.Fail(errTest)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, r.Wait(ctx, func(v View) (bool, error) { return len(v.Frames()) == 1, nil }))
	})
	t.Run("with the condition's error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := withFrame()
			done := begin(t.Context(), r, func(v View) (bool, error) {
				if _, ok := v.Frame("F2"); !ok {
					return false, errTest
				}
				return false, nil
			})
			attach(r, "S1", "F9", "F1")
			synctest.Wait()
			assert.Empty(t, done)
			detachFrame(r, "S1", "F2", "remove")
			assert.ErrorIs(t, <-done, errTest)
		})
	})
	t.Run("with the cause of its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newTab()
			ctx, cancel := context.WithCancelCause(t.Context())
			done := begin(ctx, r, never)
			cancel(errTest)
			assert.ErrorIs(t, <-done, errTest)
			assert.Empty(t, r.waiters)
		})
	})
	t.Run("when the tab fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newTab()
			first, second := begin(t.Context(), r, never), begin(t.Context(), r, never)
			r.Fail(nil)
			synctest.Wait()
			assert.Empty(t, first)
			r.Fail(errTest)
			r.Fail(errors.New("a later one"))
			assert.Equal(t, errTest, <-first)
			assert.Equal(t, errTest, <-second)
			assert.Equal(t, errTest, r.Wait(t.Context(), never))
			_, ok := r.Main()
			assert.True(t, ok, "what was known can still be read")
		})
	})
}

func TestConcurrentReaders(t *testing.T) {
	r := newTab()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				for _, f := range r.Frames() {
					r.Frame(f.ID)
				}
				_ = r.Wait(ctx, func(v View) (bool, error) { _, ok := v.Main(); return ok, nil })
			}
		}()
	}
	for _, l := range readLog(t, "testdata/iframe-moves-nested.jsonl") {
		play(t, r, l)
	}
	cancel()
	for range 4 {
		<-done
	}
}
