package swarm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// newManager is a manager, and so a browser, of the test's own.
func newManager(t *testing.T, change func(*swarm.Config)) *swarm.BrowserManager {
	t.Helper()
	c := config()
	c.TabCount = 2
	change(&c)
	m, err := swarm.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return m
}

// whole starts a manager and waits until all its free tabs are warm.
func whole(t *testing.T, m *swarm.BrowserManager) {
	t.Helper()
	require.NoError(t, m.Start(t.Context()))
	require.Eventually(t, func() bool { s := m.Status(); return s.Warm == s.Idle }, 30*time.Second, 20*time.Millisecond, "the pool is whole again")
}

// endless begins a call that does not end by itself, and returns where its error will come.
func endless(t *testing.T, tab *swarm.Tab) <-chan error {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		_, err := tab.Evaluate(t.Context(), "window.running = true, new Promise(() => {})")
		failed <- err
	}()
	require.NoError(t, tab.Locator("body").WaitFor(t.Context(), nil)) // In order on the wire: the call is under way.
	return failed
}

func TestNewChecksTheConfig(t *testing.T) {
	for _, bad := range []swarm.Config{
		{TabCount: -1}, {TabCount: swarm.MaxTabCount + 1}, {Isolation: "none"}, {LeaseTimeout: -1}, {Viewport: swarm.Viewport{Width: 10}},
	} {
		_, err := swarm.New(bad)
		require.ErrorIs(t, err, swarm.ErrInvalidArgument, "%+v", bad)
	}
}

func TestDefaultIsOneManagerAndCanBeSet(t *testing.T) {
	first := swarm.Default()
	require.NotNil(t, first)
	assert.Same(t, first, swarm.Default())
	swarm.SetDefault(manager)
	assert.Same(t, manager, swarm.Default())
	swarm.SetDefault(first)
	assert.NoError(t, first.Close())
}

func TestStatusAddsUpAndALeaseOfAWarmTabAsksNothing(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.LeaseTimeout = 30 * time.Second })
	whole(t, m)
	a, err := m.Lease(t.Context(), &swarm.LeaseOptions{Owner: "ann"})
	require.NoError(t, err)
	s := m.Status()
	assert.Equal(t, []int{2, 1, 1}, []int{s.Total, s.Idle, s.Busy})
	require.Len(t, s.Leases, 1)
	assert.Equal(t, a.ID(), s.Leases[0].TabID)
	assert.Equal(t, "ann", s.Leases[0].Owner)
	assert.Contains(t, s.Browser, "/")
}

func TestAReleasedIDIsGoneForEver(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	id := tab.ID()
	tab.Release()
	tab.Release()
	_, err := manager.Tab(id)
	require.ErrorIs(t, err, swarm.ErrPageNotFound)
	_, err = tab.Evaluate(t.Context(), "1")
	require.ErrorIs(t, err, swarm.ErrPageNotFound)
	assert.NotEqual(t, id, lease(t).ID())
	_, err = manager.Tab(id)
	require.ErrorIs(t, err, swarm.ErrPageNotFound)
}

func TestReleaseFailsTheCallsStillRunning(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	failed := endless(t, tab)
	tab.Release()
	require.ErrorIs(t, <-failed, swarm.ErrPageNotFound)
}

func TestPoolExhaustedSaysWhoIsBusyAndTheNextGetsWhatIsReleased(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.LeaseTimeout = 20 * time.Second })
	a, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	b, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = m.Lease(ctx, nil)
	require.ErrorIs(t, err, swarm.ErrPoolExhausted)
	assert.Contains(t, err.Error(), "2 of 2 tabs are busy")
	assert.Contains(t, err.Error(), a.ID())
	assert.Contains(t, err.Error(), b.ID())

	got := make(chan *swarm.Tab, 1)
	go func() {
		tab, _ := m.Lease(t.Context(), nil)
		got <- tab
	}()
	require.Eventually(t, func() bool { return m.Status().Waiting == 1 }, 5*time.Second, time.Millisecond)
	a.Release()
	tab := <-got
	require.NotNil(t, tab)
	assert.NotEqual(t, a.ID(), tab.ID())

	gone, cancelled := context.WithCancel(t.Context())
	cancelled()
	_, err = m.Lease(gone, nil)
	require.ErrorIs(t, err, swarm.ErrCancelled)
}

func TestReleaseOwnerReleasesOnlyTheOwners(t *testing.T) {
	m := newManager(t, func(*swarm.Config) {})
	a, err := m.Lease(t.Context(), &swarm.LeaseOptions{Owner: "a"})
	require.NoError(t, err)
	b, err := m.Lease(t.Context(), &swarm.LeaseOptions{Owner: "b"})
	require.NoError(t, err)
	assert.Equal(t, 1, m.ReleaseOwner("a"))
	_, err = m.Tab(a.ID())
	require.ErrorIs(t, err, swarm.ErrPageNotFound)
	_, err = m.Tab(b.ID())
	require.NoError(t, err)
	assert.Zero(t, m.ReleaseOwner("a"))
}

func TestAnIdleLeaseIsReclaimedAndABusyOneIsNot(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.IdleTimeout = 400 * time.Millisecond })
	idle, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	busy, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = busy.Evaluate(t.Context(), "new Promise(r => setTimeout(r, 1500))")
	require.NoError(t, err, "a call that runs keeps the lease")
	_, err = m.Tab(idle.ID())
	require.ErrorIs(t, err, swarm.ErrPageNotFound)
	assert.Contains(t, err.Error(), "reclaimed")
	whole(t, m)
}

func TestNothingPassesFromOneLeaseToTheNext(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.TabCount = 1 })
	first, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = first.Goto(t.Context(), site.URL+"/t/set-cookie?k=secret", nil)
	require.NoError(t, err)
	const leave = `(async () => {
		localStorage.k = sessionStorage.k = window.name = 'secret';
		document.cookie = 'js=secret';
		await caches.open('secret');
		await new Promise((r) => { const q = indexedDB.open('secret'); q.onsuccess = r; });
		open('/t/blank');
	})()`
	_, err = first.Evaluate(t.Context(), leave)
	require.NoError(t, err)
	first.Release()

	second, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = second.Goto(t.Context(), site.URL+"/t/cookies", nil)
	require.NoError(t, err)
	found, err := second.Evaluate(t.Context(), `(async () => JSON.stringify([document.body.innerText, document.cookie, localStorage.k, sessionStorage.k, window.name,
		await caches.keys(), (await indexedDB.databases()).map((d) => d.name), history.length, window.opener]))()`)
	require.NoError(t, err)
	assert.NotContains(t, string(found), "secret")
	assert.Len(t, m.Status().Leases, 1, "the popup went with its lease")
}

func TestSharedIsolationKeepsTheLogin(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.Isolation = swarm.IsolationShared })
	first, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = first.Goto(t.Context(), site.URL+"/t/set-cookie?k=shared", nil)
	require.NoError(t, err)
	first.Release()
	second, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = second.Goto(t.Context(), site.URL+"/t/cookies", nil)
	require.NoError(t, err)
	text, err := second.Content(t.Context(), nil)
	require.NoError(t, err)
	assert.Contains(t, text, "shared")
}

func TestManyCallersFewTabsNeverAWrongPage(t *testing.T) {
	var wg sync.WaitGroup
	failed := make(chan error, 8)
	for caller := range 8 {
		wg.Go(func() {
			for round := range 10 {
				want := fmt.Sprint(caller*100 + round)
				if err := visitAndRead(t.Context(), want); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		assert.NoError(t, err)
	}
}

func visitAndRead(ctx context.Context, want string) error {
	tab, err := manager.Lease(ctx, nil)
	if err != nil {
		return err
	}
	defer tab.Release()
	n, err := tab.Goto(ctx, site.URL+"/t/n/"+want, nil)
	if err != nil {
		return err
	}
	if _, err := tab.Locator("#i").Type(ctx, want, nil); err != nil {
		return err
	}
	text, err := tab.Locator("#p").Text(ctx)
	if err != nil {
		return err
	}
	value, err := tab.Evaluate(ctx, "document.querySelector('#i').value")
	if err != nil {
		return err
	}
	if n.Title != want || text != want || string(value) != `"`+want+`"` {
		return fmt.Errorf("wanted %s, got title %q, text %q, value %s", want, n.Title, text, value)
	}
	return nil
}

func TestEveryTabIsVisibleFocusedAndPaintsOnBoth(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.TabCount = 4 })
	var wg sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		tab, err := m.Lease(t.Context(), nil)
		require.NoError(t, err)
		wg.Go(func() {
			_, _ = tab.Goto(t.Context(), site.URL+"/t/raf", nil)
			v, err := tab.Evaluate(t.Context(), `new Promise((done) => {
				let frames = 0;
				const count = () => { frames++; requestAnimationFrame(count); };
				requestAnimationFrame(count);
				setTimeout(() => done([document.visibilityState, document.hasFocus(), frames > 10]), 1000);
			})`)
			got[i] = fmt.Sprint(string(v), err)
		})
	}
	wg.Wait()
	for _, g := range got {
		assert.Equal(t, `["visible",true,true]<nil>`, g)
	}
}

func TestACrashedPageEndsItsLeaseAndThePoolIsWholeAgainOnBoth(t *testing.T) {
	m := newManager(t, func(*swarm.Config) {})
	whole(t, m)
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	other, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	failed := endless(t, tab)
	go func() { _ = tab.CDP().Call(within(t, 20*time.Second), "Page.crash", nil, nil) }()
	select {
	case err = <-failed:
	case <-time.After(12 * time.Second):
		t.Fatal("the call on the crashed page did not end")
	}
	require.ErrorIs(t, err, swarm.ErrTabCrashed)
	_, err = m.Tab(tab.ID())
	require.ErrorIs(t, err, swarm.ErrTabCrashed)
	_, err = other.Evaluate(t.Context(), "1")
	require.NoError(t, err, "the other tab is untouched")
	other.Release()
	whole(t, m)
	assert.Equal(t, 1, m.Status().Crashed)
}

func TestAPageThatClosesItselfEndsItsLease(t *testing.T) {
	tab := visit(t, "/t/blank")
	_ = tab.CDP().Call(t.Context(), "Page.close", nil, nil)
	require.Eventually(t, func() bool { _, err := manager.Tab(tab.ID()); return err != nil }, 5*time.Second, 5*time.Millisecond)
	_, err := manager.Tab(tab.ID())
	require.ErrorIs(t, err, swarm.ErrTabCrashed)
}

// browsers are the main processes of the browsers of this test binary.
func browsers() (pids []int) {
	for _, pid := range processesWith("--remote-debugging-pipe") {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		n, _ := strconv.Atoi(pid)
		if err == nil && strings.Contains(string(status), fmt.Sprintf("PPid:\t%d\n", os.Getpid())) && !strings.Contains(string(line), "--type=") {
			pids = append(pids, n)
		}
	}
	return pids
}

func TestADeadBrowserIsReplacedOnceOnBoth(t *testing.T) {
	others := browsers()
	m := newManager(t, func(c *swarm.Config) { c.TabCount = 3; c.LeaseTimeout = 40 * time.Second })
	whole(t, m)
	own := slices.DeleteFunc(browsers(), func(pid int) bool { return slices.Contains(others, pid) })
	require.Len(t, own, 1)
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	failed := endless(t, tab)
	process, err := os.FindProcess(own[0])
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	select {
	case err = <-failed:
	case <-time.After(5 * time.Second):
		t.Fatal("the call did not end with its browser")
	}
	require.ErrorIs(t, err, swarm.ErrBrowserUnavailable)
	assert.Contains(t, err.Error(), "killed")
	_, err = m.Tab(tab.ID())
	require.ErrorIs(t, err, swarm.ErrBrowserUnavailable)

	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			tab, err := m.Lease(t.Context(), nil)
			if assert.NoError(t, err) {
				_, err = tab.Evaluate(t.Context(), "1")
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 2, m.Status().BrowserStarts, "one more start for all callers")
}

func TestABrowserThatCannotStartIsAnErrorThatSaysWhatToDo(t *testing.T) {
	sleeper := filepath.Join(t.TempDir(), "sleeper")
	require.NoError(t, os.WriteFile(sleeper, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755))
	for path, says := range map[string]string{"/nowhere/chrome": "/nowhere/chrome", "/bin/true": "/bin/true", sleeper: "doctor"} {
		m := newManager(t, func(c *swarm.Config) { c.Browser = path; c.StartTimeout = time.Second })
		for range 2 {
			began := time.Now()
			_, err := m.Lease(t.Context(), nil)
			require.ErrorIs(t, err, swarm.ErrBrowserUnavailable)
			assert.Contains(t, err.Error(), says)
			assert.Less(t, time.Since(began), 15*time.Second)
		}
		require.ErrorIs(t, m.Start(t.Context()), swarm.ErrBrowserUnavailable)
	}
}

func TestTheBrowserIsTriedAgainAfterAFailedStart(t *testing.T) {
	link := filepath.Join(t.TempDir(), "chrome")
	m := newManager(t, func(c *swarm.Config) { c.Browser = link })
	_, err := m.Lease(t.Context(), nil)
	require.ErrorIs(t, err, swarm.ErrBrowserUnavailable)
	real := swarm.Diagnose(t.Context(), swarm.Config{})
	require.NoError(t, real.StartErr)
	require.NoError(t, os.WriteFile(link, []byte("#!/bin/sh\nexec "+real.Browser+" \"$@\"\n"), 0o755))
	_, err = m.Lease(t.Context(), nil)
	require.NoError(t, err)
}

func TestCloseEndsCallsAndLeavesNothing(t *testing.T) {
	m := newManager(t, func(*swarm.Config) {})
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	failed := endless(t, tab)
	require.NoError(t, m.Close())
	require.ErrorIs(t, <-failed, swarm.ErrBrowserUnavailable)
	_, err = m.Lease(t.Context(), nil)
	require.ErrorIs(t, err, swarm.ErrBrowserUnavailable)
	require.ErrorIs(t, m.Start(t.Context()), swarm.ErrBrowserUnavailable)
	require.NoError(t, m.Close(), "a second close does nothing")
}

func TestCloseDuringTheStartLeavesNothing(t *testing.T) {
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond} {
		m := newManager(t, func(*swarm.Config) {})
		started := make(chan error, 1)
		go func() { started <- m.Start(t.Context()) }()
		time.Sleep(after)
		require.NoError(t, m.Close())
		if err := <-started; err != nil {
			assert.True(t, strings.Contains(err.Error(), "closed"), "%v", err)
		}
	}
}

func TestAnImpatientStarterDoesNotStopTheStart(t *testing.T) {
	m := newManager(t, func(*swarm.Config) {})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := m.Start(ctx)
	require.ErrorIs(t, err, swarm.ErrTimeout)
	require.NoError(t, m.Start(t.Context()))
	assert.Equal(t, 1, m.Status().BrowserStarts)
}

func TestDiagnoseFindsTheBrowserAndStartsIt(t *testing.T) {
	d := swarm.Diagnose(t.Context(), config())
	require.NoError(t, d.FindErr)
	require.NoError(t, d.StartErr)
	assert.FileExists(t, d.Browser)
	assert.NotEmpty(t, d.Version)
	assert.NotEmpty(t, d.Flags)
	assert.NotEmpty(t, d.Sandbox)

	d = swarm.Diagnose(t.Context(), swarm.Config{Browser: "/nowhere"})
	require.Error(t, d.FindErr)
	assert.Zero(t, d.StartTime)
}
