package chrome

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// setChild gives the browser its ends of the pipes. Windows has no file
// descriptors to inherit: the browser is told the handles, which are the same
// numbers in both processes.
func setChild(cmd *exec.Cmd, read, write *os.File, ours ...*os.File) error {
	for _, f := range ours {
		if err := inherit(f, 0); err != nil {
			return err
		}
	}
	for _, f := range []*os.File{read, write} {
		if err := inherit(f, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
	}
	cmd.Args = append(cmd.Args[:1:1], append(
		[]string{fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", read.Fd(), write.Fd())}, cmd.Args[1:]...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(read.Fd()), syscall.Handle(write.Fd())},
		CreationFlags:              syscall.CREATE_NEW_PROCESS_GROUP,
	}
	return nil
}

func inherit(f *os.File, flag uint32) error {
	if err := syscall.SetHandleInformation(syscall.Handle(f.Fd()), syscall.HANDLE_FLAG_INHERIT, flag); err != nil {
		return fmt.Errorf("set a pipe's inheritance: %w", err)
	}
	return nil
}

// terminate does nothing: there is no signal to ask a browser with, and
// closing its pipe already did.
func terminate(*os.Process) {}

// killGroup kills the browser with its children.
func killGroup(p *os.Process) {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	kill.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if kill.Run() != nil {
		_ = p.Kill()
	}
}

// killOrphans does nothing: a process id may be another's once its process is
// gone.
func killOrphans(*os.Process) {}

// reapGroup does nothing: Windows has no zombies.
func reapGroup(int) {}

// killUsers does nothing: children exit with their browser here, and files
// that are still in use are left to the next Sweep.
func killUsers(string) int { return 0 }

// lockName is a file that is open for as long as the directory's owner lives.
const lockName = "lock"

// newLock makes the lock of a run directory and holds it: nobody else can
// open a file that is open without sharing.
func newLock(dir string) (io.Closer, error) {
	return openAlone(dir, syscall.CREATE_NEW)
}

// takeLock takes the lock of a dead owner. It fails if the owner lives, and
// with os.ErrNotExist if there is no lock.
func takeLock(dir string) (io.Closer, error) {
	return openAlone(dir, syscall.OPEN_EXISTING)
}

func openAlone(dir string, mode uint32) (io.Closer, error) {
	path := filepath.Join(dir, lockName)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const noSharing = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, noSharing, nil, mode, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, syscall.ERROR_PATH_NOT_FOUND) {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return os.NewFile(uintptr(h), path), nil
}

// ownedByUs is always true: the temporary directory is the user's own.
func ownedByUs(os.FileInfo) bool { return true }
