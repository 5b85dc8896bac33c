package pool

import (
	"context"
	"slices"
	"time"
)

// fill is the filler: it starts every build, until ctx ends.
func (p *Pool[T]) fill(ctx context.Context) {
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		retry.Stop()
		if pause := p.startBuilds(ctx); pause > 0 {
			retry.Reset(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-retry.C:
		}
	}
}

// startBuilds starts the builds that are due. If waiters need one that is not
// yet due it returns the time left.
func (p *Pool[T]) startBuilds(ctx context.Context) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0
	}
	if !p.asked {
		if len(p.waiters) == 0 {
			return 0
		}
		if pause := time.Until(p.retryAt); pause > 0 {
			return pause
		}
	}
	limit := p.config.MaxParallelBuilds
	if p.failures > 0 {
		limit = 1 // try one before all
	}
	missing := p.config.Size - p.leased - len(p.warm) - len(p.building)
	for range min(missing, limit-len(p.building)) {
		c := &construction[T]{failures: p.failures}
		p.building = append(p.building, c)
		p.tasks.Go(func() { p.build(ctx, c) })
	}
	return 0
}

// build carries c out.
func (p *Pool[T]) build(ctx context.Context, c *construction[T]) {
	item, err := p.config.Build(ctx)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.building = slices.DeleteFunc(p.building, func(b *construction[T]) bool { return b == c })
	switch {
	case err != nil:
		p.buildFailed(c, err)
	case slices.ContainsFunc(c.discard, func(dead func(T) bool) bool { return dead(item) }):
		p.destroy(item)
	default:
		p.asked, p.failures = true, 0
		p.offer(item)
	}
	p.nudge()
}

// buildFailed tells the waiters that can no longer count on anything. The lock
// is held.
func (p *Pool[T]) buildFailed(c *construction[T], err error) {
	p.asked = false
	p.failures = max(p.failures, c.failures+1) // builds that failed side by side are one failure
	p.retryAt = time.Now().Add(p.config.Backoff(p.failures))

	// The builds still under way serve the first in line; the failed one was
	// for the next. The rest can hope for a release, if anything is leased.
	served := len(p.building)
	if len(p.waiters) <= served {
		return
	}
	failed := p.waiters[served:]
	if served+p.leased > 0 {
		failed = failed[:1]
	}
	for _, w := range failed {
		w.result <- result[T]{err: err}
	}
	p.waiters = slices.Delete(p.waiters, served, served+len(failed))
}

// offer gives an untouched item to the first in line, or keeps it warm. The
// lock is held.
func (p *Pool[T]) offer(item T) {
	switch {
	case p.closed:
		p.destroy(item)
	case len(p.waiters) > 0:
		w := p.waiters[0]
		p.waiters = slices.Delete(p.waiters, 0, 1)
		p.leased++
		w.result <- result[T]{lease: &Lease[T]{Value: item, pool: p}}
	default:
		p.warm = append(p.warm, item)
	}
}

// destroy ends an item in the background and lets the filler replace it. The
// lock is held, and p.tasks not at zero: the pool is open, or the caller is a
// task itself.
func (p *Pool[T]) destroy(item T) {
	p.tasks.Go(func() { p.config.Destroy(item) })
	p.nudge()
}

// ask lets the filler build for stock, at once. The lock is held.
func (p *Pool[T]) ask() {
	p.asked = true
	p.nudge()
}

// nudge has the filler look at the pool again.
func (p *Pool[T]) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
