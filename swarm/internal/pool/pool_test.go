package pool

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maker builds items that take a second, and keeps the books.
type maker struct {
	mu        sync.Mutex
	built     int
	building  int
	most      int // builds at the same time
	cancelled int
	failWith  error
	destroyed map[int]int
}

// item is numbered from 1 in the order of construction.
type item int

const buildTime = time.Second

func (m *maker) build(ctx context.Context) (item, error) {
	m.mu.Lock()
	m.building++
	m.most = max(m.most, m.building)
	m.mu.Unlock()
	var err error
	select {
	case <-time.After(buildTime):
	case <-ctx.Done():
		err = ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.building--
	if err != nil {
		m.cancelled++
		return 0, err
	}
	m.built++
	if m.failWith != nil {
		return 0, m.failWith
	}
	return item(m.built), nil
}

func (m *maker) destroy(i item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.destroyed == nil {
		m.destroyed = map[int]int{}
	}
	m.destroyed[int(i)]++
}

func (m *maker) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failWith = err
}

func (m *maker) builds() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.built
}

// inPool runs test in a bubble with a pool of the given size, and fails if
// Close leaves a goroutine or an item.
func inPool(t *testing.T, config Config[item], test func(*testing.T, *Pool[item], *maker)) {
	synctest.Test(t, func(t *testing.T) {
		var m maker
		config.Build, config.Destroy = m.build, m.destroy
		p := New(config)
		defer p.Close()
		test(t, p, &m)
	})
}

func acquire(t *testing.T, p *Pool[item]) *Lease[item] {
	t.Helper()
	lease, err := p.Acquire(t.Context())
	require.NoError(t, err)
	return lease
}

func TestAcquireTakesAWarmItemAtOnce(t *testing.T) {
	inPool(t, Config[item]{Size: 3}, func(t *testing.T, p *Pool[item], m *maker) {
		time.Sleep(time.Hour)
		assert.Zero(t, m.builds(), "nobody asked")

		p.Start()
		synctest.Wait()
		assert.Equal(t, Stats{Size: 3, Idle: 3}, p.Stats())
		time.Sleep(buildTime)
		synctest.Wait()
		assert.Equal(t, Stats{Size: 3, Idle: 3, Warm: 3}, p.Stats())

		start := time.Now()
		lease := acquire(t, p)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, Stats{Size: 3, Idle: 2, Warm: 2, Leased: 1}, p.Stats())
		time.Sleep(time.Hour)
		assert.Equal(t, 3, m.builds(), "no slot is free for another")
		lease.Release()
	})
}

func TestReleaseReplaces(t *testing.T) {
	inPool(t, Config[item]{Size: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		first := acquire(t, p)
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(first.Release)
		}
		calls.Wait()
		synctest.Wait()
		assert.Equal(t, Stats{Size: 1, Idle: 1}, p.Stats())
		assert.Equal(t, map[int]int{1: 1}, m.destroyed)

		second := acquire(t, p)
		first.Release()
		assert.Equal(t, item(2), second.Value)
		assert.Equal(t, 1, p.Stats().Leased, "a stale lease ends nobody else's")
		second.Release()
	})
}

func TestWaitersAreServedInOrder(t *testing.T) {
	inPool(t, Config[item]{Size: 2}, func(t *testing.T, p *Pool[item], m *maker) {
		const n = 20
		served := make(chan int, n)
		var callers sync.WaitGroup
		for i := range n {
			callers.Go(func() {
				lease, err := p.Acquire(t.Context())
				if assert.NoError(t, err) {
					served <- i
					time.Sleep(time.Duration(i%3+1) * time.Second)
					lease.Release()
				}
			})
			synctest.Wait() // i is in the queue
			assert.Equal(t, i+1, p.Stats().Waiting)
		}
		callers.Wait()
		close(served)
		want := 0
		for i := range served {
			// The two of one moment may report in either order.
			assert.InDelta(t, want, i, 1)
			want++
		}
		assert.Equal(t, n, want)
	})
}

func TestImpatientWaiterCancelsNoBuild(t *testing.T) {
	inPool(t, Config[item]{Size: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		why := errors.New("no longer wanted")
		ctx, cancel := context.WithTimeoutCause(t.Context(), buildTime/2, why)
		defer cancel()
		_, err := p.Acquire(ctx)
		assert.ErrorIs(t, err, why)
		time.Sleep(buildTime)
		synctest.Wait()
		assert.Equal(t, Stats{Size: 1, Idle: 1, Warm: 1}, p.Stats())
		assert.Zero(t, m.cancelled)

		_, err = p.Acquire(ctx)
		assert.ErrorIs(t, err, why, "even though an item is warm")
	})
}

// The result is in the waiter's channel when it gives up.
func TestGivingUpAtHandOverPassesTheItemOn(t *testing.T) {
	inPool(t, Config[item]{Size: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		lost := handedOver(t, p)
		next := later(t, p)
		require.Equal(t, Stats{Size: 1, Leased: 1, Waiting: 1}, p.Stats())

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.giveUp(ctx, lost), context.Canceled)
		lease := <-next
		assert.Equal(t, item(1), lease.Value, "untouched, so not built again")
		assert.Empty(t, m.destroyed)
		lease.Release()
	})
}

// As above, but the pool is closed in between.
func TestGivingUpAtHandOverAfterClose(t *testing.T) {
	inPool(t, Config[item]{Size: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		lost := handedOver(t, p)
		p.Close()
		assert.Equal(t, 1, p.Stats().Leased)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.giveUp(ctx, lost), context.Canceled)
		assert.Zero(t, p.Stats().Leased)
		assert.Equal(t, map[int]int{1: 1}, m.destroyed)
	})
}

// handedOver returns a waiter that has been given a lease but not yet noticed.
func handedOver(t *testing.T, p *Pool[item]) *waiter[item] {
	w := &waiter[item]{result: make(chan result[item], 1)}
	p.mu.Lock()
	p.waiters = append(p.waiters, w)
	p.ask()
	p.mu.Unlock()
	time.Sleep(buildTime)
	synctest.Wait()
	require.Len(t, w.result, 1)
	return w
}

// later acquires on another goroutine.
func later(t *testing.T, p *Pool[item]) <-chan *Lease[item] {
	next := make(chan *Lease[item], 1)
	go func() {
		lease, err := p.Acquire(t.Context())
		assert.NoError(t, err)
		next <- lease
	}()
	synctest.Wait()
	return next
}

func TestHandOverRace(t *testing.T) {
	inPool(t, Config[item]{Size: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		gaveUp := 0
		for range 500 {
			before := acquire(t, p)
			ctx, cancel := context.WithTimeout(t.Context(), buildTime) // when the next is built
			first := make(chan *Lease[item], 1)
			go func() {
				lease, err := p.Acquire(ctx)
				if err != nil {
					assert.ErrorIs(t, err, context.DeadlineExceeded)
				}
				first <- lease
			}()
			synctest.Wait()
			second := later(t, p)
			before.Release()
			if lease := <-first; lease != nil {
				lease.Release()
			} else {
				gaveUp++
			}
			(<-second).Release()
			cancel()
			synctest.Wait()
			require.Equal(t, Stats{Size: 1, Idle: 1}, p.Stats())
		}
		// A round costs two items, and a third when the first caller got one.
		time.Sleep(buildTime)
		synctest.Wait()
		assert.Equal(t, 500*3-gaveUp+1, m.builds())
		t.Logf("the first caller gave up in %d of 500 rounds", gaveUp)
	})
}

var errNoBrowser = errors.New("no browser")

func TestFailedBuildFailsTheWaiters(t *testing.T) {
	inPool(t, Config[item]{Size: 2}, func(t *testing.T, p *Pool[item], m *maker) {
		m.fail(errNoBrowser)
		start := time.Now()
		var callers sync.WaitGroup
		for range 5 {
			callers.Go(func() {
				_, err := p.Acquire(t.Context())
				assert.ErrorIs(t, err, errNoBrowser)
			})
		}
		callers.Wait()
		assert.Equal(t, buildTime, time.Since(start))
		assert.Equal(t, Stats{Size: 2, Idle: 2}, p.Stats())

		built := m.builds()
		time.Sleep(time.Hour)
		assert.Equal(t, built, m.builds(), "nobody asked again")
		p.Start()
		time.Sleep(time.Hour)
		assert.Equal(t, built+1, m.builds(), "one is tried before all")

		m.fail(nil)
		lease := acquire(t, p)
		time.Sleep(buildTime)
		synctest.Wait()
		assert.Equal(t, Stats{Size: 2, Idle: 1, Warm: 1, Leased: 1}, p.Stats(), "filled again")
		lease.Release()
	})
}

func TestFailedBuildSparesThoseWhoCanBeServed(t *testing.T) {
	const backoff = 10 * time.Second
	config := Config[item]{Size: 2, Backoff: func(int) time.Duration { return backoff }}
	inPool(t, config, func(t *testing.T, p *Pool[item], m *maker) {
		held := acquire(t, p)
		acquire(t, p).Release()
		m.fail(errNoBrowser)
		first := make(chan error, 1)
		go func() { _, err := p.Acquire(t.Context()); first <- err }()
		synctest.Wait()
		second := later(t, p)
		assert.ErrorIs(t, <-first, errNoBrowser)
		m.fail(nil)
		start := time.Now()
		lease := <-second
		require.NotNil(t, lease, "there was a lease to hope for")
		assert.Equal(t, backoff+buildTime, time.Since(start))
		lease.Release()
		held.Release()
	})
}

func TestFailuresSideBySideAreOne(t *testing.T) {
	var counts []int
	config := Config[item]{Size: 3, Backoff: func(failures int) time.Duration {
		counts = append(counts, failures) // under the pool's lock
		return time.Second
	}}
	inPool(t, config, func(t *testing.T, p *Pool[item], m *maker) {
		m.fail(errNoBrowser)
		for range 2 {
			p.Start()
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		assert.Equal(t, []int{1, 1, 1, 2}, counts)
	})
}

func TestBuildsUnderWayServeTheFirstInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n int
		var mu sync.Mutex
		p := New(Config[int]{
			Size: 2,
			Build: func(context.Context) (int, error) {
				mu.Lock()
				n++
				mine := n
				mu.Unlock()
				time.Sleep(time.Duration(mine) * time.Second)
				if mine == 1 {
					return 0, errNoBrowser
				}
				return mine, nil
			},
			Destroy: func(int) {},
		})
		defer p.Close()
		lease, err := p.Acquire(t.Context())
		require.NoError(t, err, "another was under way")
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Warm, "the success after the failure goes on to fill the pool")
		lease.Release()
	})
}

func TestCloseDestroysWhatABuildStillReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		destroyed := 0
		p := New(Config[int]{
			Size:    1,
			Build:   func(ctx context.Context) (int, error) { <-ctx.Done(); return 1, nil },
			Destroy: func(int) { destroyed++ },
		})
		p.Start()
		synctest.Wait()
		p.Close()
		assert.Equal(t, 1, destroyed)
		assert.Equal(t, Stats{Size: 1, Idle: 1}, p.Stats())
	})
}

func TestMaxParallelBuilds(t *testing.T) {
	inPool(t, Config[item]{Size: 7, MaxParallelBuilds: 3}, func(t *testing.T, p *Pool[item], m *maker) {
		p.Start()
		time.Sleep(3 * buildTime)
		synctest.Wait()
		assert.Equal(t, 3, m.most)
		assert.Equal(t, 7, p.Stats().Warm)
	})
}

func TestDiscard(t *testing.T) {
	inPool(t, Config[item]{Size: 3, MaxParallelBuilds: 1}, func(t *testing.T, p *Pool[item], m *maker) {
		lease := acquire(t, p) // 1
		time.Sleep(buildTime)  // 2 is warm
		synctest.Wait()        // 3 is under construction
		require.Equal(t, 1, p.Stats().Warm)
		p.Discard(func(i item) bool { return i <= 3 })
		synctest.Wait()
		assert.Equal(t, Stats{Size: 3, Idle: 2, Leased: 1}, p.Stats())
		time.Sleep(3 * buildTime)
		synctest.Wait()
		assert.Equal(t, map[int]int{2: 1, 3: 1}, m.destroyed)
		assert.Equal(t, 2, p.Stats().Warm)
		lease.Release()
		assert.Equal(t, item(4), acquire(t, p).Value)
	})
}

func TestClose(t *testing.T) {
	inPool(t, Config[item]{Size: 3, MaxParallelBuilds: 2}, func(t *testing.T, p *Pool[item], m *maker) {
		first, second := acquire(t, p), acquire(t, p)
		time.Sleep(buildTime)
		third := acquire(t, p)
		third.Release()
		first.Release() // two builds under way
		failed := make(chan error)
		go func() {
			time.Sleep(buildTime / 2)
			p.Close()
		}()
		for range 3 {
			go func() { _, err := p.Acquire(t.Context()); failed <- err }()
		}
		for range 3 {
			assert.ErrorIs(t, <-failed, ErrClosed)
		}
		p.Close()
		assert.Equal(t, 2, m.cancelled)
		_, err := p.Acquire(t.Context())
		assert.ErrorIs(t, err, ErrClosed)
		p.Start()

		assert.Equal(t, Stats{Size: 3, Idle: 2, Leased: 1}, p.Stats())
		second.Release()
		second.Release()
		assert.Equal(t, map[int]int{1: 1, 2: 1, 3: 1}, m.destroyed)
		assert.Equal(t, Stats{Size: 3, Idle: 3}, p.Stats())
	})
}

func TestDefaultBackoffGrowsToABound(t *testing.T) {
	assert.Equal(t, 100*time.Millisecond, defaultBackoff(1))
	assert.Equal(t, 400*time.Millisecond, defaultBackoff(3))
	assert.Equal(t, 5*time.Second, defaultBackoff(7))
	assert.Equal(t, 5*time.Second, defaultBackoff(1000))
}
