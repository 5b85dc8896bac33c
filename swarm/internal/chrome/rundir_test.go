//go:build linux

package chrome

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSweep(t *testing.T) {
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	old := time.Now().Add(-2 * youngAge)

	live, err := newRunDir(root)
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(live.path, old, old))

	dead, err := newRunDir(root)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dead.profile(), "file"), nil, 0o600))
	require.NoError(t, dead.lock.Close())

	require.NoError(t, os.Mkdir(in("swarm-mcp-young"), 0o700))
	require.NoError(t, os.Mkdir(in("swarm-mcp-old"), 0o700))
	require.NoError(t, os.Chtimes(in("swarm-mcp-old"), old, old))
	require.NoError(t, os.WriteFile(in("swarm-mcp-file"), nil, 0o600))
	require.NoError(t, os.Mkdir(in("other"), 0o700))
	require.NoError(t, os.Symlink(in("other"), in("swarm-mcp-link")))

	// A process of the dead one that outlived it, with a child in its group.
	user := exec.Command("/bin/sh", "-c", "sleep 600; true", "--user-data-dir="+dead.profile())
	user.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, user.Start())
	eventually(t, "its child runs", 5*time.Second, func() bool { return len(groupMembers(user.Process.Pid)) == 2 })
	group := groupMembers(user.Process.Pid)

	assert.Equal(t, 2, sweep(slog.New(slog.DiscardHandler), root))
	assert.EqualError(t, user.Wait(), "signal: killed")
	eventually(t, "its group is gone", 5*time.Second, func() bool { return !slices.ContainsFunc(group, runs) })
	assert.Equal(t, []string{"other", filepath.Base(live.path), "swarm-mcp-file", "swarm-mcp-link", "swarm-mcp-young"}, entries(root))
	assert.DirExists(t, live.profile())

	require.NoError(t, live.remove())
	assert.NoDirExists(t, live.path)
}

// A full browser aborts when the path of its socket is too long.
func TestLongTemporaryDirectory(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 80))
	require.NoError(t, os.Mkdir(long, 0o700))
	t.Setenv("TMPDIR", long)
	for product, found := range browsers(t) {
		t.Run(product, func(t *testing.T) {
			p := launch(t, Options{Browser: found})
			assert.Equal(t, found.HeadlessShell, strings.HasPrefix(p.Dir, long), p.Dir)
			require.NoError(t, p.Stop(t.Context()))
			assertGone(t, p)
		})
	}
}

// A lock has its name only while it is held, so that a directory in the making
// is never taken for an abandoned one.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	_, err := takeLock(dir)
	assert.ErrorIs(t, err, os.ErrNotExist)
	lock, err := newLock(dir)
	require.NoError(t, err)
	_, err = takeLock(dir)
	require.Error(t, err)
	assert.NotErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, lock.Close())
	taken, err := takeLock(dir)
	require.NoError(t, err)
	require.NoError(t, taken.Close())
}

func TestRunDirInMissingPlace(t *testing.T) {
	t.Setenv("TMPDIR", "/no")
	_, err := Launch(t.Context(), Options{Browser: Found{Path: "/bin/true"}})
	var failed *LaunchError
	require.ErrorAs(t, err, &failed)
	assert.ErrorContains(t, err, "make the run directory")
	assert.NotContains(t, failed.Hint, "loader", "it is not the browser that is missing")
}
