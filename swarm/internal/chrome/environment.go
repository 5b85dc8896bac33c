package chrome

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment is what the machine allows a browser, as far as its flags and
// `swarm-mcp doctor` care.
type Environment struct {
	// GOOS is named as in package runtime.
	GOOS string
	// Root is true for Unix's user 0, as whom Chrome refuses its sandbox.
	Root bool
	// NoSandbox says why Chrome's sandbox cannot work for an ordinary user,
	// empty if it can. Known on Linux only.
	NoSandbox string
	// DevShm is the size of /dev/shm in bytes, 0 if there is none. Linux only.
	DevShm uint64
	// Display is true where a window can be shown.
	Display bool
	// Fonts is true when there is any font file, or no way to tell.
	Fonts bool
}

// minDevShm is the size of /dev/shm below which pages with big pictures crash:
// Docker gives 64 MB.
const minDevShm = 512 << 20

// Probe looks at the machine with the browser at path in mind, which may be
// empty: whether a sandbox works can depend on the browser's own files. It
// takes a few milliseconds.
func Probe(path string) Environment {
	env := Environment{GOOS: runtime.GOOS, Display: true, Fonts: true}
	env.Root = runtime.GOOS != "windows" && os.Geteuid() == 0
	if runtime.GOOS == "linux" {
		env.NoSandbox = whyNoSandbox(path)
		env.DevShm = fileSystemSize("/dev/shm")
		env.Display = os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
		env.Fonts = haveFonts(fontDirs())
	}
	return env
}

func fontDirs() []string {
	dirs := []string{"/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts"}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".fonts"), filepath.Join(home, ".local", "share", "fonts"))
	}
	return dirs
}

func haveFonts(dirs []string) bool {
	for _, dir := range dirs {
		found := false
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return nil // a directory that is not there has no fonts
			}
			name := strings.ToLower(strings.TrimSuffix(path, ".gz"))
			switch filepath.Ext(name) {
			case ".ttf", ".otf", ".ttc", ".pfb", ".pcf":
				found = true
				return fs.SkipAll
			}
			return nil
		})
		if found {
			return true
		}
	}
	return false
}
