//go:build linux

package chrome

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ownerVariable makes the test binary a process that owns a browser and waits
// to be killed.
const ownerVariable = "SWARM_CHROME_TEST_OWNER"

// TestMain gives the tests a temporary directory of their own, and fails when
// a run directory or a process that uses one is left in it.
func TestMain(m *testing.M) {
	if os.Getenv(ownerVariable) != "" {
		ownBrowser()
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	root, err := os.MkdirTemp("", "chrome-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(root)
	os.Setenv("TMPDIR", root)

	code := m.Run()
	if left, _ := filepath.Glob(filepath.Join(root, runDirPrefix+"*")); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "run directories left:", left)
		code = 1
	}
	if left := processesWith(root); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes left:", left)
		code = 1
	}
	return code
}

// ownBrowser launches a browser, prints its process id and directory, and
// waits.
func ownBrowser() {
	found, err := Find(FindOptions{})
	if err == nil {
		var p *Process
		if p, err = Launch(context.Background(), Options{Browser: found}); err == nil {
			fmt.Println(p.PID, p.Dir)
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// processesWith lists the living processes that have text in their command
// line.
func processesWith(text string) []string {
	var found []string
	for _, name := range entries("/proc") {
		if pid, err := strconv.Atoi(name); err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join("/proc", name, "cmdline"))
		if bytes.Contains(cmdline, []byte(text)) {
			found = append(found, name+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte(" "))))
		}
	}
	return found
}

// runs reports whether the process lives; a zombie does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 0 && fields[0][0] != 'Z'
}

// browsers are the browsers to test with, by product.
func browsers(t *testing.T) map[string]Found {
	t.Helper()
	shell, err := Find(FindOptions{})
	require.NoError(t, err)
	require.True(t, shell.HeadlessShell, "found %s", shell.Path)
	full, err := Find(FindOptions{Headed: true})
	require.NoError(t, err)
	return map[string]Found{shell.Product: shell, full.Product: full}
}

// eventually waits for what other processes do.
func eventually(t *testing.T, what string, limit time.Duration, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, limit, 10*time.Millisecond, what)
}
