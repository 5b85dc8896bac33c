package chrome

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// PathVariable is the environment variable that names the browser to use when
// FindOptions.Path is empty.
const PathVariable = "CHROME_PATH"

// The products that Find knows.
const (
	HeadlessShell = "headless-shell"
	Chrome        = "chrome"
	Chromium      = "chromium"
	Edge          = "edge"
	Brave         = "brave"
)

// FindOptions say which browser is wanted.
type FindOptions struct {
	// Path is the browser's path, or a name to look up in PATH; nothing else
	// is looked at when it is set.
	Path string
	// Headed asks for a browser that can show windows, so for no headless
	// shell.
	Headed bool
	// System is where to look; nil is this machine.
	System *System
}

// System is what Find asks of the machine.
type System struct {
	// GOOS and GOARCH are named as in package runtime.
	GOOS, GOARCH string
	// InstallDir is the directory of downloaded browsers, empty for none.
	InstallDir string
	Getenv     func(key string) string
	LookPath   func(name string) (string, error)
	// Executable reports whether path is a file that can be run.
	Executable func(path string) bool
	// Entries are the names in a directory, none if it cannot be read.
	Entries func(dir string) []string
}

// Found is a browser.
type Found struct {
	// Path is the browser's program, with a distribution's wrapper script
	// already replaced by what it runs.
	Path string
	// Product is one of the constants above, or for a path that tells
	// nothing the file's own name.
	Product string
	// HeadlessShell is true for the browser that has no windows at all.
	HeadlessShell bool
	// Looked are the places looked at, the last being the one it was found in.
	Looked []string
}

// NotFoundError says that there is no browser, and how to get one.
type NotFoundError struct {
	// Looked are the paths and names that were tried, in order.
	Looked []string
	Headed bool
}

// Error names every place and the remedies.
func (e *NotFoundError) Error() string {
	pkg, flag := "chromium-headless-shell", ""
	if e.Headed {
		pkg, flag = "chromium", " --headed"
	}
	return fmt.Sprintf("no browser found; looked at %s. Run `swarm-mcp install%s`, or install a package (Debian: `apt-get install %s`), or set %s to the browser's path",
		strings.Join(e.Looked, ", "), flag, pkg, PathVariable)
}

// Find returns the browser to start: the one named by opts.Path, else by the
// environment's CHROME_PATH, else the first one installed, of headless shell
// (unless headed), Chrome, Chromium, Edge and Brave. A named browser that does
// not exist is an error, never a reason to take another. The error is a
// *NotFoundError, or says that a headless shell was named for headed use.
func Find(opts FindOptions) (Found, error) {
	sys := opts.System
	if sys == nil {
		sys = thisSystem()
	}
	if opts.Path != "" {
		return sys.findNamed(opts.Path, opts.Path, opts.Headed)
	}
	if path := sys.Getenv(PathVariable); path != "" {
		return sys.findNamed(path, "$"+PathVariable+"="+path, opts.Headed)
	}
	var looked []string
	for _, place := range sys.places(opts.Headed) {
		looked = append(looked, place.path)
		if path, ok := sys.resolve(place.path); ok {
			return Found{Path: path, Product: place.product, HeadlessShell: place.product == HeadlessShell, Looked: looked}, nil
		}
	}
	return Found{}, &NotFoundError{Looked: slices.Compact(looked), Headed: opts.Headed}
}

// findNamed finds the browser that somebody named; label is how an error
// shows the name.
func (s *System) findNamed(name, label string, headed bool) (Found, error) {
	path, ok := s.resolve(name)
	if !ok {
		return Found{}, &NotFoundError{Looked: []string{label}, Headed: headed}
	}
	product := productOf(path)
	if headed && product == HeadlessShell {
		return Found{}, fmt.Errorf("find the browser: %s is a headless shell and cannot show windows", label)
	}
	return Found{Path: path, Product: product, HeadlessShell: product == HeadlessShell, Looked: []string{label}}, nil
}

// resolve turns a path, or a name in PATH, into the path of a program.
func (s *System) resolve(name string) (string, bool) {
	path := name
	if !strings.ContainsAny(name, `/\`) {
		found, err := s.LookPath(name)
		if err != nil {
			return "", false
		}
		path = found
	}
	if !s.Executable(path) {
		return "", false
	}
	return s.unwrap(path), true
}

// unwrap replaces a distribution's wrapper script by the program it runs: a
// private profile and our flags make up for what the script does, and it can
// cost seconds.
func (s *System) unwrap(path string) string {
	if real := wrapped(path); real != "" && s.Executable(real) {
		return real
	}
	return path
}

// productOf guesses the product from a program's name.
func productOf(path string) string {
	base := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	base = strings.TrimSuffix(base, ".exe")
	hints := []struct{ part, product string }{
		{"headless-shell", HeadlessShell}, {"headless_shell", HeadlessShell},
		{"edge", Edge}, {"brave", Brave}, {"chromium", Chromium}, {"chrome", Chrome},
	}
	for _, h := range hints {
		if strings.Contains(base, h.part) {
			return h.product
		}
	}
	return base
}

// InstallDir is the directory of downloaded browsers, one a user; it need not
// exist. Below it lies <version>/<product>-<platform>/, as the archives of
// Chrome for Testing unpack.
func InstallDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache directory: %w", err)
	}
	return filepath.Join(cache, "swarm-mcp", "browsers"), nil
}

// thisSystem is the machine the program runs on.
func thisSystem() *System {
	dir, err := InstallDir()
	if err != nil {
		dir = "" // no home: nothing can have been downloaded
	}
	return &System{
		GOOS:       runtime.GOOS,
		GOARCH:     runtime.GOARCH,
		InstallDir: dir,
		Getenv:     os.Getenv,
		LookPath:   exec.LookPath,
		Executable: isExecutable,
		Entries:    entries,
	}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode()&0o111 != 0
}

func entries(dir string) []string {
	list, _ := os.ReadDir(dir) // unreadable is as good as empty
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names
}
