package pool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrClosed is the error of Acquire on a closed pool.
var ErrClosed = errors.New("pool is closed")

// Config says what a pool is made of.
type Config[T any] struct {
	// Size is how many items can be leased at once; less than 1 is taken as 1.
	Size int
	// Build makes an item. Its context ends with the pool, never with the
	// caller that happens to wait for it.
	Build func(context.Context) (T, error)
	// Destroy ends an item. It is called once for each that Build returned,
	// on a goroutine of the pool, or on the caller's once the pool is closed.
	Destroy func(T)
	// MaxParallelBuilds bounds the builds under way; Size when it is 0.
	MaxParallelBuilds int
	// Backoff is the pause before waiters cause another build after so many
	// failures in a row. The pool is locked while it runs. Nil is 100 ms,
	// doubled each time, at most 5 s.
	Backoff func(failures int) time.Duration
}

// Stats is the state of a pool at one moment. Idle + Leased == Size.
type Stats struct {
	// Size is Config.Size.
	Size int
	// Idle counts the slots that nobody leases, whether warm or being
	// refilled; Warm counts those of them that can be leased at once.
	Idle, Warm int
	// Leased counts the leases not yet released.
	Leased int
	// Waiting counts the callers inside Acquire.
	Waiting int
}

// Pool is a fixed number of slots for items of type T.
type Pool[T any] struct {
	config Config[T]
	wake   chan struct{} // of capacity 1: the filler has something to look at
	stop   context.CancelFunc
	tasks  sync.WaitGroup // the filler, builds, destructions

	mu       sync.Mutex // guards everything below
	closed   bool
	warm     []T // oldest first
	leased   int
	building []*construction[T]
	waiters  []*waiter[T] // oldest first

	// asked is whether the filler may build for stock. Start, Acquire and a
	// build that succeeds set it, one that fails clears it: what cannot be
	// built is not tried again and again behind everybody's back.
	asked    bool
	failures int       // failed builds in a row
	retryAt  time.Time // before which waiters alone cause no build
}

// construction is a build under way.
type construction[T any] struct {
	failures int            // Pool.failures when it began
	discard  []func(T) bool // of the calls of Discard since
}

// waiter is a caller inside Acquire. It is in Pool.waiters until exactly one
// result has been sent.
type waiter[T any] struct {
	result chan result[T] // of capacity 1
}

type result[T any] struct {
	lease *Lease[T]
	err   error
}

// Lease is the right to use an item until Release.
type Lease[T any] struct {
	// Value is the item.
	Value T

	pool     *Pool[T]
	released bool // guarded by pool.mu
}

// New returns a pool that is still cold: the first Start or Acquire begins to
// fill it. It must be closed.
func New[T any](config Config[T]) *Pool[T] {
	config.Size = max(config.Size, 1)
	if config.MaxParallelBuilds <= 0 {
		config.MaxParallelBuilds = config.Size
	}
	if config.Backoff == nil {
		config.Backoff = defaultBackoff
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Pool[T]{config: config, wake: make(chan struct{}, 1), stop: stop}
	p.tasks.Go(func() { p.fill(ctx) })
	return p
}

func defaultBackoff(failures int) time.Duration {
	return min(100*time.Millisecond<<min(failures-1, 10), 5*time.Second)
}

// Start begins to fill the pool and returns at once. After failed builds it
// begins again.
func (p *Pool[T]) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ask()
}

// Acquire leases the oldest warm item. If there is none it waits its turn: for
// a release, or for a build that is under way. It returns the cause of ctx's
// end, ErrClosed, or the error of a build: a build that fails fails the waiter
// that it was for, and all of them when nothing else is under way or leased.
//
// Giving up does not cancel a build, which others may need. An item that
// arrives at that very moment goes to the next in line.
func (p *Pool[T]) Acquire(ctx context.Context) (*Lease[T], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	p.ask()
	if len(p.warm) > 0 { // and so nobody waits
		item := p.warm[0]
		p.warm = slices.Delete(p.warm, 0, 1)
		p.leased++
		p.mu.Unlock()
		return &Lease[T]{Value: item, pool: p}, nil
	}
	w := &waiter[T]{result: make(chan result[T], 1)}
	p.waiters = append(p.waiters, w)
	p.mu.Unlock()

	select {
	case r := <-w.result:
		return r.lease, r.err
	case <-ctx.Done():
		return nil, p.giveUp(ctx, w)
	}
}

// giveUp takes w out of the queue and says why its call of Acquire fails. A
// lease that was handed over at that moment is passed on, untouched.
func (p *Pool[T]) giveUp(ctx context.Context, w *waiter[T]) error {
	p.mu.Lock()
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
		p.mu.Unlock()
		return context.Cause(ctx)
	}
	r := <-w.result
	passOn := r.err == nil && !p.closed
	if passOn {
		p.leased--
		p.offer(r.lease.Value)
	}
	p.mu.Unlock()

	if r.err != nil {
		return r.err
	}
	if !passOn {
		r.lease.Release() // Close counted it as leased
	}
	return context.Cause(ctx)
}

// Release ends the lease: the item is destroyed and another made in its place,
// both in the background. Later calls do nothing.
func (l *Lease[T]) Release() {
	p := l.pool
	p.mu.Lock()
	if l.released {
		p.mu.Unlock()
		return
	}
	l.released = true
	p.leased--
	if p.closed {
		p.mu.Unlock()
		p.config.Destroy(l.Value) // Close may have returned: no goroutine would have an owner
		return
	}
	p.destroy(l.Value)
	p.mu.Unlock()
}

// Discard destroys the idle items for which dead reports true and has others
// made in their place; an item still under construction is asked about when it
// is done. Leased items are left to their Release. The pool is locked while
// dead runs.
func (p *Pool[T]) Discard(dead func(T) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warm = slices.DeleteFunc(p.warm, func(item T) bool {
		if !dead(item) {
			return false
		}
		p.destroy(item)
		return true
	})
	for _, c := range p.building {
		c.discard = append(c.discard, dead)
	}
}

// Stats returns the state of the pool. It waits for no Build and no Destroy.
func (p *Pool[T]) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Size:    p.config.Size,
		Idle:    p.config.Size - p.leased,
		Warm:    len(p.warm),
		Leased:  p.leased,
		Waiting: len(p.waiters),
	}
}

// Close fails all waiters with ErrClosed, cancels the context of the builds
// under way, destroys the idle items, and returns when all of that is done.
// Leases stay usable; their Release destroys the item and returns after that.
// Later calls only wait.
func (p *Pool[T]) Close() {
	p.mu.Lock()
	if !p.closed {
		for _, w := range p.waiters {
			w.result <- result[T]{err: ErrClosed}
		}
		for _, item := range p.warm {
			p.destroy(item)
		}
		p.waiters, p.warm = nil, nil
		p.closed = true
		p.stop()
	}
	p.mu.Unlock()
	p.tasks.Wait()
}
