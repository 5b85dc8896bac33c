package swarm_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// browserVariable selects the browser of the tests: a path or a name, the
// headless shell when it is unset. The tests whose names end in OnBoth are run
// on full Chromium too.
const browserVariable = "SWARM_TEST_BROWSER"

var (
	// site is the test site; manager is the one browser of this test binary.
	site    *testsite.Site
	manager *swarm.BrowserManager
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run fails when a test leaves a goroutine, a process or a profile behind.
func run(m *testing.M) int {
	temp, err := os.MkdirTemp("", "swarm-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(temp)
	os.Setenv("TMPDIR", temp)
	goroutines := runtime.NumGoroutine()
	if site, err = testsite.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if manager, err = swarm.New(config()); err == nil {
		err = manager.Start(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests need a browser:", err)
		return 1
	}
	code := m.Run()
	if err := manager.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "close the manager:", err)
		code = 1
	}
	site.Close()
	if left := leftovers(temp, goroutines); left != "" {
		fmt.Fprintln(os.Stderr, "left behind by the tests:", left)
		code = 1
	}
	return code
}

// leftovers says what is still there a moment after the end.
func leftovers(temp string, goroutines int) (left string) {
	for range 50 {
		left = ""
		if dirs, _ := filepath.Glob(filepath.Join(temp, "swarm-mcp-*")); len(dirs) > 0 {
			left += fmt.Sprint("run directories ", dirs, "; ")
		}
		if pids := processesWith(temp); len(pids) > 0 {
			left += fmt.Sprint("processes ", pids, "; ")
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			stacks := make([]byte, 1<<20)
			left += fmt.Sprintf("%d goroutines:\n%s", n-goroutines, stacks[:runtime.Stack(stacks, true)])
		}
		if left == "" {
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left
}

// processesWith lists the processes that have the text in their command line.
// It sees nothing where there is no /proc.
func processesWith(text string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && strings.Contains(string(line), text) {
			pids = append(pids, filepath.Base(filepath.Dir(f)))
		}
	}
	return pids
}

// config is that of the tests' managers.
func config() swarm.Config {
	c := swarm.Config{
		TabCount:      4,
		Browser:       os.Getenv(browserVariable),
		ActionTimeout: 10 * time.Second,
	}
	if os.Getenv("SWARM_TEST_LOG") != "" {
		c.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return c
}

// lease leases a tab of the shared manager for the test.
func lease(t *testing.T) *swarm.Tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for {
		tab, err := manager.Lease(ctx, nil)
		if err != nil && ctx.Err() == nil {
			t.Logf("waiting for a tab: %v", err) // Many tests share few tabs.
			continue
		}
		require.NoError(t, err)
		t.Cleanup(tab.Release)
		return tab
	}
}

// visit leases a tab and opens a page of the test site in it.
func visit(t *testing.T, path string) *swarm.Tab {
	t.Helper()
	tab := lease(t)
	_, err := tab.Goto(t.Context(), site.URL+path, nil)
	require.NoError(t, err)
	return tab
}

// eval is the value of a script as JSON text.
func eval(t *testing.T, tab *swarm.Tab, script string) string {
	t.Helper()
	value, err := tab.Evaluate(t.Context(), script)
	require.NoError(t, err, script)
	return string(value)
}

// show opens a page made of a fragment of HTML, under the test site's origin.
func show(t *testing.T, html string) *swarm.Tab {
	t.Helper()
	tab := visit(t, "/t/blank")
	quoted := fmt.Sprintf("%q", html)
	eval(t, tab, "document.open(), document.write("+quoted+"), document.close()")
	return tab
}

// within is a context with a deadline of its own.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
