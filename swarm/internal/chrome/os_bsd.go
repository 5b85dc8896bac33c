//go:build !windows && !linux

package chrome

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// There is no Pdeathsig: the browser exits when its pipe closes.
func dieWithParent(*syscall.SysProcAttr) {}

// killUsers kills the processes that were started with the run directory's
// profile, and returns how many there were.
func killUsers(dir string) int {
	list, err := exec.Command("ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return 0 // they go by themselves when their browser does
	}
	killed := 0
	for line := range strings.Lines(string(list)) {
		id, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(id)
		if err == nil && strings.Contains(command, "--user-data-dir="+dir+"/") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			killed++
		}
	}
	return killed
}
