//go:build linux

package chrome

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// launch starts a browser that is stopped with the test at the latest.
func launch(t *testing.T, opts Options) *Process {
	t.Helper()
	p, err := Launch(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Stop(context.Background())) })
	return p
}

// call sends one raw command and returns its raw result.
func call(t *testing.T, p *Process, method, params string) string {
	t.Helper()
	require.NoError(t, p.Transport.Write(t.Context(), &cdproto.Message{ID: 7, Method: cdproto.MethodType(method), Params: []byte(params)}))
	for {
		var m cdproto.Message
		require.NoError(t, p.Transport.Read(t.Context(), &m))
		if m.ID == 7 {
			require.Nil(t, m.Error)
			return string(m.Result)
		}
	}
}

// assertGone checks that nothing of a stopped browser is left.
func assertGone(t *testing.T, p *Process) {
	t.Helper()
	assert.NoDirExists(t, p.Dir)
	assert.False(t, runs(p.PID), "the browser runs")
	assert.Empty(t, processesWith(p.Dir))
}

func TestVersion(t *testing.T) {
	for product, found := range browsers(t) {
		version, err := Version(t.Context(), found.Path)
		require.NoError(t, err, product)
		assert.Regexp(t, `^\d+\.\d+\.\d+\.\d+$`, version, product)
	}
	_, err := Version(t.Context(), "/bin/true")
	assert.ErrorContains(t, err, "/bin/true")
	_, err = Version(t.Context(), "/no/browser")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestLaunchAndStop(t *testing.T) {
	for product, found := range browsers(t) {
		t.Run(product, func(t *testing.T) {
			p := launch(t, Options{Browser: found, WindowWidth: 1280, WindowHeight: 720})
			assert.Contains(t, p.Version, "Chrome/")
			assert.Contains(t, call(t, p, "Browser.getVersion", "{}"), p.Version)
			assert.Contains(t, call(t, p, "Target.createTarget", `{"url":"about:blank","newWindow":true}`), "targetId")
			assert.NoError(t, p.Err())
			group := groupMembers(p.PID)
			assert.NotEmpty(t, group)

			require.NoError(t, p.Stop(t.Context()))
			assertGone(t, p)
			assert.EqualError(t, p.Err(), "the browser exited: exit status 0")
			for _, pid := range group {
				assert.False(t, runs(pid), "child %d runs", pid)
			}
		})
	}
}

// groupMembers are the processes of a process group.
func groupMembers(pgid int) []int {
	var members []int
	for _, name := range entries("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if g, err := syscall.Getpgid(pid); err == nil && g == pgid {
			members = append(members, pid)
		}
	}
	return members
}

func TestLaunchHeadedWithoutDisplay(t *testing.T) {
	full, err := Find(FindOptions{Headed: true})
	require.NoError(t, err)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	_, err = Launch(t.Context(), Options{Browser: full, Headed: true})
	var failed *LaunchError
	require.ErrorAs(t, err, &failed)
	assert.Contains(t, failed.Hint, "no display")
}

func TestKilledBrowserIsSeen(t *testing.T) {
	for product, found := range browsers(t) {
		t.Run(product, func(t *testing.T) {
			p := launch(t, Options{Browser: found})
			require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			select {
			case <-p.Done():
			case <-time.After(2 * time.Second):
				require.Fail(t, "the death was not seen")
			}
			assert.EqualError(t, p.Err(), "the browser exited: signal: killed")
			assert.Error(t, p.Transport.Read(t.Context(), new(cdproto.Message)))
			require.NoError(t, p.Stop(t.Context()))
			assertGone(t, p)
		})
	}
}

// A browser that hangs is ended all the same, and anybody may ask for it at
// any time.
func TestStopIsForcefulAndConcurrent(t *testing.T) {
	found, err := Find(FindOptions{})
	require.NoError(t, err)
	p := launch(t, Options{Browser: found})
	require.NoError(t, syscall.Kill(p.PID, syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.NoError(t, p.Stop(ctx)); assertGone(t, p) })
		wg.Go(func() { _, _ = p.Err(), p.Output() })
	}
	wg.Wait()
	p.Kill()
	assert.EqualError(t, p.Err(), "the browser exited: signal: killed")
}

// script writes an executable file.
func script(t *testing.T, text string) Found {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return Found{Path: path}
}

func TestLaunchErrors(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o600))
	tests := []struct {
		name    string
		browser Found
		is      error
		text    string // in the message
		hint    string // in the hint
	}{
		{name: "missing", browser: Found{Path: "/no/browser"}, is: fs.ErrNotExist, text: "/no/browser", hint: "swarm-mcp install"},
		{name: "not executable", browser: Found{Path: plain}, is: fs.ErrPermission, hint: "not executable"},
		{name: "no program", browser: script(t, "\x00\x01\x02"), is: syscall.ENOEXEC, hint: "no program"},
		{name: "no loader", browser: script(t, "#!/no/loader\n"), is: fs.ErrNotExist, hint: "loader"},
		{name: "exits at once", browser: Found{Path: "/bin/true"}, text: "exit status 0", hint: "Chromium family"},
		{name: "fails", browser: script(t, "#!/bin/sh\necho no good >&2\nexit 7\n"), text: "exit status 7\nThe browser's last output:\nno good"},
		{name: "killed", browser: script(t, "#!/bin/sh\nkill -9 $$\n"), text: "signal: killed"},
		{name: "root", browser: script(t, "#!/bin/sh\necho 'Running as root without --no-sandbox is not supported. See https://crbug.com/638180.' >&2\nexit 1\n"), hint: "--no-sandbox"},
		{name: "no sandbox", browser: script(t, "#!/bin/sh\necho 'FATAL: No usable sandbox!' >&2\nkill -TRAP $$\n"), hint: "--no-sandbox"},
		{name: "library", browser: script(t, "#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n"), text: "libnss3.so", hint: "library is missing"},
		{name: "closes its pipe", browser: script(t, "#!/bin/sh\nexec 3<&- 4>&-\nsleep 0.2\nexit 3\n"), text: "exit status 3"},
		{name: "answers nonsense", browser: script(t, "#!/bin/sh\nprintf 'nonsense\\0' >&4\nexec sleep 60 3<&- 4>&-\n"), text: "closed its pipe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Launch(t.Context(), Options{Browser: tt.browser})
			var failed *LaunchError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, tt.browser.Path, failed.Path)
			assert.NotEmpty(t, failed.Args)
			if tt.is != nil {
				assert.ErrorIs(t, err, tt.is)
			}
			assert.ErrorContains(t, err, tt.text)
			assert.Contains(t, failed.Hint, tt.hint)
			left, _ := filepath.Glob(filepath.Join(os.TempDir(), runDirPrefix+"*"))
			assert.Empty(t, left)
		})
	}
}

// A program that never answers is ended with its children when the time is up.
func TestLaunchNeverAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := Launch(ctx, Options{Browser: script(t, "#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho child $! >&2\nwait\nsleep 600\n")})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "did not answer in time")
	var failed *LaunchError
	require.ErrorAs(t, err, &failed)
	var child int
	_, scanErr := fmt.Sscanf(failed.Output, "child %d", &child)
	require.NoError(t, scanErr, failed.Output)
	eventually(t, "the child is gone", 5*time.Second, func() bool { return !runs(child) })
}

func TestLaunchCancelled(t *testing.T) {
	cause := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	_, err := Launch(ctx, Options{Browser: script(t, "#!/bin/sh\nsleep 600\n")})
	assert.ErrorIs(t, err, cause)
	_, err = Launch(ctx, Options{Browser: Found{Path: "/no/browser"}})
	assert.ErrorIs(t, err, context.Canceled, "nothing is started when it is too late")
}

func TestOutputIsLoggedAndCut(t *testing.T) {
	var log bytes.Buffer
	out := &output{logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	fmt.Fprint(out, "first li")
	fmt.Fprint(out, "ne\n\nsecond\nunfinished")
	assert.Equal(t, 2, strings.Count(log.String(), "\n"))
	assert.Contains(t, log.String(), `line="first line"`)
	assert.Equal(t, "first line\n\nsecond\nunfinished", out.String())

	fmt.Fprint(out, strings.Repeat("x", 3*outputLimit)+"end")
	assert.Len(t, out.String(), outputLimit)
	assert.True(t, strings.HasSuffix(out.String(), "xend"))
	assert.LessOrEqual(t, len(out.line), outputLimit)
}

// When the owner is killed its browser dies with it, and what it leaves is
// swept; as long as it lives, nothing of it is.
func TestKilledOwner(t *testing.T) {
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerVariable+"=1")
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	defer func() { _ = owner.Process.Kill(); _ = owner.Wait() }()
	var pid int
	var dir string
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, err = fmt.Sscan(line, &pid, &dir)
	require.NoError(t, err)

	assert.Zero(t, Sweep(nil))
	assert.DirExists(t, filepath.Join(dir, "profile"))
	assert.True(t, runs(pid))
	group := groupMembers(pid)

	require.NoError(t, owner.Process.Kill())
	eventually(t, "the browser is gone", 5*time.Second, func() bool {
		for _, member := range group {
			if runs(member) {
				return false
			}
		}
		return true
	})
	assert.DirExists(t, dir)
	assert.Equal(t, 1, Sweep(nil))
	assert.NoDirExists(t, dir)
	assert.Empty(t, processesWith(dir))
}
