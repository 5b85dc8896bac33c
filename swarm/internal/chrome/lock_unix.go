//go:build !windows

package chrome

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the file whose flock says that the directory has an owner.
const lockName = "lock"

// newLock makes the lock of a run directory and holds it. The file gets its
// name after it was locked, so it is never seen free while its owner lives.
func newLock(dir string) (io.Closer, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		return nil, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// takeLock takes the lock of a dead owner. It fails if the owner lives, and
// with os.ErrNotExist if there is no lock.
func takeLock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		return nil, err
	}
	return f, nil
}

// flock locks the file or closes it.
func flock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

func ownedByUs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
