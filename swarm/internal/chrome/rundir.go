package chrome

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	runDirPrefix = "swarm-mcp-"
	// youngAge is how long a run directory without a lock may be one that is
	// just being made.
	youngAge = time.Minute
	// removeLimit bounds the attempts to remove a directory that dying
	// processes still write to.
	removeLimit = 3 * time.Second
	removePause = 20 * time.Millisecond
)

// singletonSocket is what a full browser binds below the temporary directory,
// and maxSocketPath how long a socket's path may be, where it is shortest.
const (
	singletonSocket = "/" + runDirPrefix + "4294967295/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket"
	maxSocketPath   = 103
)

// runRoot is where the browser's run directory belongs: the temporary
// directory, unless that has so long a path that a full browser would abort on
// its socket.
func runRoot(headlessShell bool) string {
	root := os.TempDir()
	if !headlessShell && runtime.GOOS != "windows" && len(root)+len(singletonSocket) > maxSocketPath {
		return "/tmp"
	}
	return root
}

// runDir is the private directory of one browser. Its lock is held until
// remove, or until this process dies.
type runDir struct {
	path string
	lock io.Closer
}

func newRunDir(root string) (*runDir, error) {
	path, err := os.MkdirTemp(root, runDirPrefix)
	if err != nil {
		return nil, fmt.Errorf("make the run directory: %w", err)
	}
	r := &runDir{path: path}
	r.lock, err = newLock(path)
	if err == nil {
		err = errors.Join(os.Mkdir(r.profile(), 0o700), os.Mkdir(r.tmp(), 0o700))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the run directory: %w", err), r.remove())
	}
	return r, nil
}

func (r *runDir) profile() string { return filepath.Join(r.path, "profile") }
func (r *runDir) tmp() string     { return filepath.Join(r.path, "tmp") }

// environ makes the browser leave its temporary files, and the crash database
// that it would keep in the user's home, in the directory.
func (r *runDir) environ() []string {
	tmp := r.tmp()
	return []string{"TMPDIR=" + tmp, "TMP=" + tmp, "TEMP=" + tmp, "BREAKPAD_DUMP_LOCATION=" + tmp}
}

// remove kills what still uses the directory and deletes it.
func (r *runDir) remove() error {
	if r.lock != nil {
		defer r.lock.Close()
	}
	return removeRunDir(r.path, r.lock)
}

// removeRunDir deletes a run directory whose lock we hold: the lock last, and
// only then lets go of it, so that nobody else comes to do the same.
func removeRunDir(path string, lock io.Closer) error {
	deadline := time.Now().Add(removeLimit)
	for {
		for killUsers(path) > 0 && time.Now().Before(deadline) {
			time.Sleep(removePause)
		}
		err := errors.Join(os.RemoveAll(filepath.Join(path, "profile")), os.RemoveAll(filepath.Join(path, "tmp")))
		if err == nil {
			if lock != nil {
				_ = lock.Close()
			}
			err = os.RemoveAll(path)
		}
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(removePause)
	}
}

// Sweep removes the run directories in the temporary directories whose owner is
// dead, killed before it could Stop its browser, together with whatever
// processes still use them, and returns how many it removed. Directories of
// living owners, of other users, and ones that are just being made are left.
func Sweep(logger *slog.Logger) int {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	removed := 0
	for _, root := range slices.Compact([]string{runRoot(true), runRoot(false)}) {
		removed += sweep(logger, root)
	}
	return removed
}

func sweep(logger *slog.Logger, root string) int {
	removed := 0
	for _, name := range entries(root) {
		if !strings.HasPrefix(name, runDirPrefix) {
			continue
		}
		path := filepath.Join(root, name)
		lock, ok := abandoned(path)
		if !ok {
			continue
		}
		err := removeRunDir(path, lock)
		if err != nil {
			logger.Warn("left-over run directory stays", "dir", path, "err", err)
			continue
		}
		logger.Info("removed a left-over run directory", "dir", path)
		removed++
	}
	return removed
}

// abandoned reports whether path is a run directory of ours without an owner,
// and takes its lock if it has one.
func abandoned(path string) (io.Closer, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !ownedByUs(info) {
		return nil, false
	}
	lock, err := takeLock(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, time.Since(info.ModTime()) > youngAge
	}
	return lock, err == nil
}
