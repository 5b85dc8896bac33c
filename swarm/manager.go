package swarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/pool"
)

// maxEpitaphs bounds how many ended leases are remembered by their reason.
const maxEpitaphs = 1000

// BrowserManager is a pool of warm, isolated tabs in one browser, which it
// starts, watches and starts again when it died. Make one with New.
type BrowserManager struct {
	config Config
	log    *slog.Logger
	tabs   *pool.Pool[*Tab]
	stop   chan struct{}
	owned  sync.WaitGroup // the reaper

	// onSend is told of every command, for the tests that count them.
	onSend func(target.SessionID, string)

	mu       sync.Mutex // guards everything below
	closed   bool
	browser  *browser
	starting *start
	leased   map[string]*Tab
	lastID   int
	// epitaphs say why a lease ended, for those who still hold its id.
	epitaphs     map[string]*Error
	epitaphOrder []string
	crashed      int
	starts       int
	// quickDeaths counts the browsers in a row that died soon after their
	// start, so that one that cannot live is not started in a loop.
	quickDeaths int
}

const (
	// quickDeath is the age below which the death of a browser is quick.
	quickDeath = 10 * time.Second
	// maxStartPause bounds the pause before another start after quick deaths.
	maxStartPause = 8 * time.Second
)

// start is a start of the browser under way, shared by all who need it.
type start struct {
	abort   context.CancelFunc
	done    chan struct{}
	browser *browser
	err     error // written before done is closed
}

// New checks the config and returns a manager. It starts nothing: Start or the
// first Lease does. The manager must be closed.
func New(config Config) (*BrowserManager, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &BrowserManager{
		config:   config,
		log:      config.Logger,
		stop:     make(chan struct{}),
		leased:   make(map[string]*Tab),
		epitaphs: make(map[string]*Error),
	}
	m.tabs = pool.New(pool.Config[*Tab]{
		Size:              config.TabCount,
		Build:             m.build,
		Destroy:           (*Tab).dispose,
		MaxParallelBuilds: 4,
	})
	if config.IdleTimeout > 0 {
		m.owned.Go(m.reap)
	}
	return m, nil
}

// Start launches the browser and begins to warm tabs, and returns once the
// browser answers. It is optional: Lease does the same when it must. After a
// failure the next call tries again.
func (m *BrowserManager) Start(ctx context.Context) error {
	if _, err := m.running(ctx); err != nil {
		return translate(err, subject{op: "start"})
	}
	m.tabs.Start()
	return nil
}

// Lease waits for an idle tab, first come, first served, until the context
// ends or Config.LeaseTimeout is over, and leases it. With a warm tab it does
// not ask the browser anything.
//
// Errors: POOL_EXHAUSTED when no tab became idle in time; BROWSER_UNAVAILABLE
// when there is no browser to be had; CANCELLED.
func (m *BrowserManager) Lease(ctx context.Context, opts *LeaseOptions) (*Tab, error) {
	if opts == nil {
		opts = &LeaseOptions{}
	}
	began := time.Now()
	wait, cancel := context.WithTimeoutCause(ctx, m.config.LeaseTimeout, errLeaseTimeout)
	defer cancel()
	for {
		lease, err := m.tabs.Acquire(wait)
		if err != nil {
			return nil, m.leaseError(ctx, err, time.Since(began))
		}
		tab := lease.Value
		if m.enter(tab, lease, opts.Owner) {
			m.log.Debug("leased", "tab", tab.id, "owner", opts.Owner, "waited", time.Since(began))
			return tab, nil
		}
		lease.Release() // It died while it was idle.
	}
}

// enter makes a warm tab a leased one; false when the tab is dead.
func (m *BrowserManager) enter(tab *Tab, lease *pool.Lease[*Tab], owner string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || !tab.lease(m.nextID(), owner, lease) {
		return false
	}
	m.leased[tab.id] = tab
	return true
}

// adopt leases a tab that a leased one opened to the same owner.
func (m *BrowserManager) adopt(popup, opener *Tab) {
	m.mu.Lock()
	defer m.mu.Unlock()
	popup.opener = opener
	popup.lease(m.nextID(), opener.owner, nil)
	m.leased[popup.id] = popup
}

// nextID makes an id that no lease had. The caller holds mu.
func (m *BrowserManager) nextID() string {
	m.lastID++
	return "tab-" + strconv.Itoa(m.lastID)
}

// forget takes a tab whose lease is over out of the books.
func (m *BrowserManager) forget(tab *Tab, why *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leased[tab.id] != tab {
		return
	}
	delete(m.leased, tab.id)
	if why.Type == TabCrashed {
		m.crashed++
	}
	m.epitaphs[tab.id] = why
	m.epitaphOrder = append(m.epitaphOrder, tab.id)
	if len(m.epitaphOrder) > maxEpitaphs {
		delete(m.epitaphs, m.epitaphOrder[0])
		m.epitaphOrder = m.epitaphOrder[1:]
	}
}

func (m *BrowserManager) leaseError(ctx context.Context, err error, waited time.Duration) error {
	switch {
	case errors.Is(err, pool.ErrClosed):
		return errClosed("lease")
	case errors.Is(err, errLeaseTimeout) || errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		s := m.Status()
		if s.Busy < s.Total {
			return &Error{Type: BrowserUnavailable, Op: "lease", Err: err, Message: fmt.Sprintf(
				"no tab became ready within %v although %d of %d are not leased: the browser is slow to make one; try again", round(waited), s.Idle, s.Total)}
		}
		return &Error{Type: PoolExhausted, Op: "lease", Err: err, Message: fmt.Sprintf(
			"no tab became idle within %v: %s; release one with release_tab, or start the server with more tabs", round(waited), m.busySummary(s))}
	}
	return translate(err, subject{op: "lease"})
}

// busySummary names the leases that hold up the pool, the longest first.
func (m *BrowserManager) busySummary(s Status) string {
	text := fmt.Sprintf("%d of %d tabs are busy", s.Busy, s.Total)
	for i, l := range s.Leases {
		if i == 5 {
			return text + ", …"
		}
		if l.Opener == "" {
			text += fmt.Sprintf(", %s for %v", l.TabID, round(time.Since(l.Since)))
		}
	}
	return text
}

// Tab returns the leased tab with that id. Errors: PAGE_NOT_FOUND when there is
// none, with the reason when it is known; TAB_CRASHED or BROWSER_UNAVAILABLE
// when the lease ended that way.
func (m *BrowserManager) Tab(id string) (*Tab, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if tab := m.leased[id]; tab != nil {
		return tab, nil
	}
	if why := m.epitaphs[id]; why != nil {
		again := *why
		return nil, &again
	}
	return nil, &Error{Type: PageNotFound, Op: "tab", TabID: id,
		Message: fmt.Sprintf("there is no tab %q; navigate without tabId leases a new one", id)}
}

// Status is a snapshot of the pool. It asks the browser nothing.
func (m *BrowserManager) Status() Status {
	p := m.tabs.Stats()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Status{Total: p.Size, Idle: p.Idle, Busy: p.Leased, Warm: p.Warm, Waiting: p.Waiting, Crashed: m.crashed, BrowserStarts: m.starts}
	if m.browser != nil && m.browser.alive() {
		s.Browser = m.browser.product
	}
	for _, tab := range m.leased {
		s.Leases = append(s.Leases, tab.status())
	}
	slices.SortFunc(s.Leases, func(a, b LeaseStatus) int { return a.Since.Compare(b.Since) })
	return s
}

// ReleaseOwner releases the tabs of an owner and returns how many there were.
func (m *BrowserManager) ReleaseOwner(owner string) int {
	n := 0
	for _, tab := range m.tabsWhere(func(t *Tab) bool { return t.owner == owner }) {
		if tab.over() == nil {
			n++
		}
		tab.Release()
	}
	return n
}

// tabsWhere lists the leased tabs that pass.
func (m *BrowserManager) tabsWhere(pass func(*Tab) bool) []*Tab {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []*Tab
	for _, tab := range m.leased {
		if pass(tab) {
			found = append(found, tab)
		}
	}
	return found
}

// Close ends all leases and the browser and waits until its processes and its
// profile are gone. Calls under way fail with BROWSER_UNAVAILABLE. A second
// Close does nothing.
func (m *BrowserManager) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	starting, b := m.starting, m.browser
	m.mu.Unlock()

	close(m.stop)
	for _, tab := range m.tabsWhere(func(*Tab) bool { return true }) {
		tab.end(errClosed("close"))
	}
	if starting != nil {
		starting.abort()
		<-starting.done
		if starting.err == nil {
			b = starting.browser
		}
	}
	var err error
	if b != nil {
		err = b.close(errClosed("close"))
	}
	m.tabs.Close()
	m.owned.Wait()
	return err
}

// build makes a warm tab for the pool.
func (m *BrowserManager) build(ctx context.Context) (*Tab, error) {
	b, err := m.running(ctx)
	if err != nil {
		return nil, err
	}
	return b.newTab(ctx)
}

// running returns the browser, starting one if none is alive. One start serves
// all who ask meanwhile; a caller that gives up does not stop it.
func (m *BrowserManager) running(ctx context.Context) (*browser, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, errClosed("start")
	}
	if m.browser != nil && m.browser.alive() {
		defer m.mu.Unlock()
		return m.browser, nil
	}
	if m.starting == nil {
		ctx, abort := context.WithCancel(context.Background())
		m.starting = &start{abort: abort, done: make(chan struct{}), browser: newBrowser(m)}
		m.starts++
		go m.launch(ctx, m.starting)
	}
	s := m.starting
	m.mu.Unlock()
	select {
	case <-s.done:
		return s.browser, s.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the browser to start: %w", context.Cause(ctx))
	}
}

// launch runs a start to its end and publishes the outcome. It ends by itself:
// the start is bounded by Config.StartTimeout and by Close.
func (m *BrowserManager) launch(ctx context.Context, s *start) {
	defer close(s.done)
	defer s.abort()
	if pause := m.startPause(); pause > 0 {
		m.log.Warn("the browser keeps dying; waiting before the next start", "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	s.err = s.browser.start(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starting = nil
	if s.err == nil {
		m.browser = s.browser
	}
}

// startPause is how long to wait before a start: not at all, unless the last
// browsers died soon after theirs.
func (m *BrowserManager) startPause() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.quickDeaths < 2 {
		return 0
	}
	return min(250*time.Millisecond<<min(m.quickDeaths, 10), maxStartPause)
}

// lost is told by a browser that it is over, and how long it lived.
func (m *BrowserManager) lost(b *browser, lived time.Duration) {
	m.mu.Lock()
	m.quickDeaths++
	if lived > quickDeath {
		m.quickDeaths = 0
	}
	m.mu.Unlock()
	m.tabs.Discard(func(t *Tab) bool { return t.browser == b })
}
