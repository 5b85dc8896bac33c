//go:build !windows

package chrome

import (
	"os"
	"os/exec"
	"syscall"
)

// setChild gives the browser its ends of the pipes, as file descriptors 3 and
// 4, and a process group of its own: a terminal's Ctrl-C is for us.
func setChild(cmd *exec.Cmd, read, write, _, _ *os.File) error {
	cmd.ExtraFiles = []*os.File{read, write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	return nil
}

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// killGroup kills the browser with its children. That the group is gone
// already is no error.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killOrphans kills what is left of the group of a browser that just exited.
func killOrphans(p *os.Process) { killGroup(p) }

// reapGroup takes away the zombies of a dead browser's children. There are any
// only when we are the first process of a container, which inherits them.
func reapGroup(pid int) {
	for {
		id, err := syscall.Wait4(-pid, nil, syscall.WNOHANG, nil)
		if id <= 0 && err != syscall.EINTR {
			return
		}
	}
}
