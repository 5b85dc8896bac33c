package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless is a call that only a fault ends.
func (s *server) endless(tab string) <-chan message {
	return s.sendCall("evaluate", args{"tabId": tab, "script": "new Promise(() => {})", "timeout": 60000})
}

func TestAKilledBrowserFailsItsCallsAndIsReplacedOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=2")
	tab := s.open("/t/blank")
	pending := s.endless(tab)
	s.eval(tab, "1") // The calls are in order: the endless one is under way.
	kill(t, s.browser(), syscall.SIGKILL)
	r := s.parse("evaluate", s.await(pending, "evaluate"))
	require.True(t, r.IsError)
	assert.Equal(t, "BROWSER_UNAVAILABLE", r.Object["error_type"])
	s.fails("BROWSER_UNAVAILABLE", "evaluate", args{"tabId": tab, "script": "1"})
	again := s.open("/t/n/1")
	assert.NotEqual(t, tab, again)
	require.Eventually(t, func() bool { return s.status() == [3]int{2, 1, 1} }, 10*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { return len(s.profiles()) == 1 }, 10*time.Second, 20*time.Millisecond, "the dead browser's profile is gone")
}

func TestAKilledRendererEndsOneLeaseOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/blank")
	pending := s.endless(tab)
	s.eval(tab, "1")
	// The page's renderer is the one that has been busiest; all of them will do, for there is one lease.
	for _, p := range s.processes() {
		if strings.Contains(p.line, "--type=renderer") {
			kill(t, p.pid, syscall.SIGKILL)
		}
	}
	r := s.parse("evaluate", s.await(pending, "evaluate"))
	require.True(t, r.IsError)
	assert.Equal(t, "TAB_CRASHED", r.Object["error_type"])
	s.fails("TAB_CRASHED", "evaluate", args{"tabId": tab, "script": "1"})
	tab = s.open("/t/n/7")
	assert.Equal(t, "7", s.eval(tab, "document.title"))
}

func TestTheEndOfInputEndsTheServerWithWhatWasDue(t *testing.T) {
	s := ready(t)
	tab := s.open("/t/blank")
	s.endless(tab)
	due := s.sendCall("evaluate", args{"tabId": tab, "script": "6*7"})
	require.NoError(t, s.stdin.Close())
	assert.Equal(t, 42.0, s.parse("evaluate", s.await(due, "evaluate")).Object["result"])
	assert.Equal(t, 0, s.awaitExit(5*time.Second))
	s.assertNothingLeft()
}

func TestTheEndOfInputRightAtTheStart(t *testing.T) {
	s := start(t)
	require.NoError(t, s.stdin.Close())
	assert.Equal(t, 0, s.awaitExit(5*time.Second))
	s.assertNothingLeft()
}

func TestTERMEndsTheServerOnBoth(t *testing.T) {
	s := ready(t)
	s.endless(s.open("/t/blank"))
	kill(t, s.command.Process.Pid, syscall.SIGTERM)
	assert.Equal(t, 0, s.awaitExit(5*time.Second))
	s.assertNothingLeft()
}

func TestAKilledServerLeavesNoProcessAndItsProfileIsSweptOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=1")
	s.endless(s.open("/t/blank"))
	kill(t, s.command.Process.Pid, syscall.SIGKILL)
	s.awaitExit(5 * time.Second)
	require.Eventually(t, func() bool { return len(s.processes()) == 0 }, 5*time.Second, 20*time.Millisecond, "the browser went with it")
	require.LessOrEqual(t, len(s.profiles()), 1)

	runIn(t, s.temp, "doctor")
	assert.Empty(t, s.profiles(), "the next start in the same place has swept")
}

func TestAServerWithoutABrowserSaysWhatToDoAndTriesAgain(t *testing.T) {
	link := filepath.Join(t.TempDir(), "browser")
	t.Setenv(browserVariable, "")
	s := ready(t, "--browser", link)
	require.Nil(t, s.request("tools/list", nil).Error)
	o := s.fails("BROWSER_UNAVAILABLE", "navigate", args{"url": site.URL + "/t/blank"})
	assert.Contains(t, o["message"], link)
	real := filepath.Join(s.temp, "real")
	found := findBrowser(t)
	require.NoError(t, os.WriteFile(real, []byte("#!/bin/sh\nexec "+found+" \"$@\"\n"), 0o755))
	require.NoError(t, os.Symlink(real, link))
	assert.Equal(t, "3", s.eval(s.open("/t/n/3"), "document.title"))
}
