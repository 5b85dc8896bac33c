package chrome

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// killUsers kills the processes that have a path below the run directory as
// the value of a flag: the browser, in its group the children of a headless
// shell, and the crash handlers, which leave the group. It returns how many
// there were.
func killUsers(dir string) int {
	killed := 0
	for _, name := range entries("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join("/proc", name, "cmdline"))
		if err != nil || !usesDir(cmdline, dir) {
			continue
		}
		if pgid, err := syscall.Getpgid(pid); err == nil && pgid == pid {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		killed++
	}
	return killed
}

// usesDir reports whether one of the arguments, each ended by a zero byte, is
// --flag=dir/something.
func usesDir(cmdline []byte, dir string) bool {
	for arg := range bytes.SplitSeq(cmdline, []byte{0}) {
		flag, value, _ := bytes.Cut(arg, []byte("="))
		if bytes.HasPrefix(flag, []byte("--")) && bytes.HasPrefix(value, []byte(dir+"/")) {
			return true
		}
	}
	return false
}
