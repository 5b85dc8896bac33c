package frames

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
)

// View is the state of a registry inside a condition of [Registry.Wait]. It is valid only until the condition returns.
type View struct{ r *Registry }

// Main returns the main frame, as [Registry.Main] does.
func (v View) Main() (Frame, bool) { return v.r.main() }

// Frame returns the frame with that id, as [Registry.Frame] does.
func (v View) Frame(id cdp.FrameID) (Frame, bool) { return v.r.frame(id) }

// Frames returns every frame, as [Registry.Frames] does. It allocates; prefer Frame.
func (v View) Frames() []Frame { return v.r.list() }

// Condition says whether a wait is over, and how. An error ends it too.
type Condition func(v View) (done bool, err error)

// waiter is one call of Wait. Its channel has room for the one result it gets.
type waiter struct {
	cond Condition
	done chan error
}

// Wait returns when cond is done: its error if it returned one, else nil. Before that, it returns the error given to [Registry.Fail], or one that
// wraps context.Cause(ctx).
//
// cond is called at once and after every event that changed something, each state in turn. It runs under the registry's lock, on the goroutine
// that applies events: it must be quick, must not block, and must look only at its View, never at the Registry.
func (r *Registry) Wait(ctx context.Context, cond Condition) error {
	w := &waiter{cond: cond, done: make(chan error, 1)}
	if over, err := r.enlist(w); over {
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
	}
	r.mu.Lock()
	delete(r.waiters, w)
	r.mu.Unlock()
	select {
	case err := <-w.done: // it came true while ctx ended: what happened counts for more than being late
		return err
	default:
		return fmt.Errorf("wait for the frames: %w", context.Cause(ctx))
	}
}

// enlist registers w unless its wait is over already.
func (r *Registry) enlist(w *waiter) (over bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done, err := w.cond(View{r}); done || err != nil {
		return true, err
	}
	if r.failed != nil {
		return true, r.failed
	}
	r.waiters[w] = struct{}{}
	return false, nil
}

// wake shows the new state to every waiter. The caller holds mu.
func (r *Registry) wake() {
	for w := range r.waiters {
		if done, err := w.cond(View{r}); done || err != nil {
			delete(r.waiters, w)
			w.done <- err
		}
	}
}

// Fail ends every wait, now and later, with err, unless its condition holds already. The first err stays; nil does nothing. What the registry knows
// can still be read.
func (r *Registry) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil || r.failed != nil {
		return
	}
	r.failed = err
	for w := range r.waiters {
		delete(r.waiters, w)
		w.done <- err
	}
}
