package chrome

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// whyNoSandbox says why the browser at path has no working sandbox for an
// ordinary user, empty if it has one.
func whyNoSandbox(path string) string {
	if hasSetuidHelper(path) {
		return ""
	}
	// The namespace is made by a fork whose exec of nothing is certain to
	// fail: with ENOENT once the namespace stood, with another error if the
	// kernel, a limit or a container's seccomp filter refused it.
	_, err := syscall.ForkExec("", []string{""}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER},
	})
	if !errors.Is(err, syscall.ENOENT) {
		return "the kernel or the container refuses user namespaces (" + err.Error() + ")"
	}
	// AppArmor lets anybody make a namespace but gives rights in it only to
	// programs that have a profile.
	restricted, _ := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	if bytes.Equal(bytes.TrimSpace(restricted), []byte("1")) && !hasAppArmorProfile(path) {
		return "AppArmor restricts user namespaces and has no profile for this browser"
	}
	return ""
}

// hasSetuidHelper reports whether the browser's older sandbox, a helper that
// is owned by root and setuid, lies beside it.
func hasSetuidHelper(path string) bool {
	info, err := os.Stat(filepath.Join(filepath.Dir(path), "chrome-sandbox"))
	if path == "" || err != nil || info.Mode()&os.ModeSetuid == 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0
}

func hasAppArmorProfile(path string) bool {
	const dir = "/etc/apparmor.d"
	if path == "" {
		return false
	}
	for _, name := range entries(dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && bytes.Contains(text, []byte(path)) && bytes.Contains(text, []byte("userns")) {
			return true
		}
	}
	return false
}

func fileSystemSize(path string) uint64 {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0
	}
	return st.Blocks * uint64(st.Bsize)
}
