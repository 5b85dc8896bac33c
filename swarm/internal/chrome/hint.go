package chrome

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// hint says what to do about a failed start, empty if nothing is known.
func hint(err error, out string, headed bool, env Environment) string {
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(out, part) {
				return true
			}
		}
		return false
	}
	var notRun error // why the program could not even be run
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Op == "fork/exec" {
		notRun = failed.Err
	}
	switch {
	case says("without --no-sandbox is not supported", "No usable sandbox", "setuid sandbox is not running as root"):
		return "The browser's sandbox does not work here: add the browser argument --no-sandbox, or run as an ordinary user where user namespaces are allowed"
	case says("error while loading shared libraries"):
		return "A library is missing: install the browser from the distribution's packages (Debian: `apt-get install chromium-headless-shell`), which bring it along"
	case says("GLIBC_", "GLIBCXX_"):
		return "The browser was built for a newer system: install the distribution's own"
	case headed && (!env.Display || says("Missing X server", "cannot open display", "ozone_platform_x11", "Unable to open X display")):
		return "There is no display to show windows on: run headless, or under `xvfb-run`"
	case says("/dev/shm", "No space left on device"):
		return "There is too little shared memory or disk: add the browser argument --disable-dev-shm-usage, and look at /dev/shm and the temporary directory"
	case errors.Is(notRun, syscall.ENOEXEC):
		return "The file is no program for this machine"
	case errors.Is(notRun, fs.ErrNotExist):
		return "The file, or the loader it needs, does not exist: run `swarm-mcp install`, or name another browser"
	case errors.Is(notRun, fs.ErrPermission):
		return "The file is not executable for this user"
	case errors.Is(err, context.DeadlineExceeded):
		return "Is it a browser? On a slow or busy machine a longer start timeout helps"
	case out == "":
		return "Is it a browser of the Chromium family?"
	}
	return ""
}

// lastLines are the last n lines of text that are not empty.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
