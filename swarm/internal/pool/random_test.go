package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// thing has the life of an item: built, leased at most once, destroyed.
type thing struct {
	leased, destroyed int
	dead              bool
}

// world is what random callers do to a pool, and what must hold.
type world struct {
	t    *testing.T
	pool *Pool[*thing]

	mu     sync.Mutex
	random *rand.Rand
	things []*thing
}

func (w *world) chance(n int) bool {
	return w.intN(n) == 0
}

func (w *world) intN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

func (w *world) pause() { time.Sleep(time.Duration(w.intN(20)) * time.Millisecond) }

func (w *world) build(ctx context.Context) (*thing, error) {
	w.pause()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if w.chance(8) {
		return nil, errNoBrowser
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	th := &thing{}
	w.things = append(w.things, th)
	return th, nil
}

func (w *world) destroy(th *thing) {
	w.mu.Lock()
	th.destroyed++
	w.mu.Unlock()
	w.pause()
}

// act leases and releases, or does something less usual.
func (w *world) act() {
	switch w.intN(20) {
	case 0:
		w.pool.Start()
	case 1:
		w.mu.Lock()
		for _, th := range w.things {
			th.dead = th.dead || w.random.IntN(4) == 0
		}
		w.mu.Unlock()
		w.pool.Discard(func(th *thing) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return th.dead
		})
	default:
		w.lease()
	}
	w.check()
	w.pause()
}

func (w *world) lease() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.intN(40))*time.Millisecond)
	defer cancel()
	lease, err := w.pool.Acquire(ctx)
	if err != nil {
		known := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNoBrowser) || errors.Is(err, ErrClosed)
		assert.True(w.t, known, "%v", err)
		return
	}
	w.mu.Lock()
	lease.Value.leased++
	assert.Equal(w.t, 1, lease.Value.leased)
	assert.Zero(w.t, lease.Value.destroyed)
	w.mu.Unlock()
	w.pause()
	lease.Release()
	if w.chance(3) {
		lease.Release()
	}
}

func (w *world) check() {
	s := w.pool.Stats()
	assert.Equal(w.t, s.Size, s.Idle+s.Leased)
	assert.True(w.t, s.Warm >= 0 && s.Warm <= s.Idle && s.Leased >= 0, "%+v", s)
	assert.True(w.t, s.Warm == 0 || s.Waiting == 0, "%+v: a waiter was passed over", s)
}

func TestRandomOperations(t *testing.T) {
	const seeds, callers, actions = 10, 10, 100
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t, random: rand.New(rand.NewPCG(seed, 0))}
			w.pool = New(Config[*thing]{Size: 1 + int(seed%5), MaxParallelBuilds: int(seed % 3), Build: w.build, Destroy: w.destroy})
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					for range actions {
						w.act()
					}
				})
			}
			if seed%2 == 0 { // under load, else when all is done
				time.Sleep(time.Second)
				w.pool.Close()
			}
			all.Wait()
			w.pool.Close()

			require.NotEmpty(t, w.things)
			for _, th := range w.things {
				assert.Equal(t, 1, th.destroyed)
			}
			s := w.pool.Stats()
			assert.Equal(t, Stats{Size: s.Size, Idle: s.Size}, s)
		})
	}
}
