package chrome

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// place is where a product may be: a path, or a name to look up in PATH.
type place struct {
	product string
	path    string
}

// places lists where browsers may be, the preferred first.
func (s *System) places(headed bool) []place {
	var all []place
	switch s.GOOS {
	case "windows":
		all = s.windowsPlaces()
	case "darwin":
		all = s.macPlaces()
	default:
		all = linuxPlaces()
	}
	var sorted []place
	for _, product := range []string{HeadlessShell, Chrome, Chromium, Edge, Brave} {
		if headed && product == HeadlessShell {
			continue
		}
		for _, p := range all {
			if p.product == product {
				sorted = append(sorted, p)
			}
		}
		for _, path := range s.installed(product) {
			sorted = append(sorted, place{product, path})
		}
	}
	return sorted
}

// linuxPlaces has the programs themselves before the names in PATH, which are
// wrapper scripts more often than not.
func linuxPlaces() []place {
	return []place{
		{HeadlessShell, "/usr/lib/chromium/chromium-headless-shell"},
		{HeadlessShell, "/usr/lib64/chromium-browser/headless_shell"},
		{HeadlessShell, "chromium-headless-shell"},
		{HeadlessShell, "chrome-headless-shell"},
		{HeadlessShell, "headless-shell"},
		{Chrome, "/opt/google/chrome/chrome"},
		{Chrome, "google-chrome-stable"},
		{Chrome, "google-chrome"},
		{Chromium, "/usr/lib/chromium/chromium"},
		{Chromium, "/usr/lib64/chromium-browser/chromium-browser"},
		{Chromium, "chromium"},
		{Chromium, "chromium-browser"},
		{Chromium, "/snap/bin/chromium"},
		{Edge, "/opt/microsoft/msedge/msedge"},
		{Edge, "microsoft-edge-stable"},
		{Edge, "microsoft-edge"},
		{Brave, "/opt/brave.com/brave/brave"},
		{Brave, "brave-browser"},
	}
}

func (s *System) macPlaces() []place {
	apps := []place{
		{Chrome, "Google Chrome"},
		{Chromium, "Chromium"},
		{Edge, "Microsoft Edge"},
		{Brave, "Brave Browser"},
	}
	list := []place{{HeadlessShell, "chrome-headless-shell"}}
	for _, app := range apps {
		program := filepath.Join("Applications", app.path+".app", "Contents", "MacOS", app.path)
		list = append(list, place{app.product, "/" + program})
		if home := s.Getenv("HOME"); home != "" {
			list = append(list, place{app.product, filepath.Join(home, program)})
		}
	}
	return append(list, place{Chromium, "chromium"})
}

func (s *System) windowsPlaces() []place {
	programs := []place{
		{Chrome, filepath.Join("Google", "Chrome", "Application", "chrome.exe")},
		{Chromium, filepath.Join("Chromium", "Application", "chrome.exe")},
		{Edge, filepath.Join("Microsoft", "Edge", "Application", "msedge.exe")},
		{Brave, filepath.Join("BraveSoftware", "Brave-Browser", "Application", "brave.exe")},
	}
	list := []place{{HeadlessShell, "chrome-headless-shell.exe"}}
	for _, p := range programs {
		for _, key := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if root := s.Getenv(key); root != "" {
				list = append(list, place{p.product, filepath.Join(root, p.path)})
			}
		}
	}
	return list
}

// installed are the paths at which downloads of the product would be, the
// newest version first.
func (s *System) installed(product string) []string {
	platform, ok := Platform(s.GOOS, s.GOARCH)
	if !ok || s.InstallDir == "" {
		return nil
	}
	var program string
	switch {
	case product == HeadlessShell:
		program = filepath.Join("chrome-headless-shell-"+platform, "chrome-headless-shell")
	case product == Chrome && s.GOOS == "darwin":
		program = filepath.Join("chrome-"+platform, "Google Chrome for Testing.app", "Contents", "MacOS", "Google Chrome for Testing")
	case product == Chrome:
		program = filepath.Join("chrome-"+platform, "chrome")
	default:
		return nil
	}
	if s.GOOS == "windows" {
		program += ".exe"
	}
	versions := s.Entries(s.InstallDir)
	if len(versions) == 0 {
		versions = []string{"*"} // nothing there, but it was looked at
	}
	slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
	paths := make([]string, len(versions))
	for i, v := range versions {
		paths[i] = filepath.Join(s.InstallDir, v, program)
	}
	return paths
}

// Platform is Chrome for Testing's name for an operating system and an
// architecture, both named as in package runtime; false if it has none.
func Platform(goos, goarch string) (string, bool) {
	name, ok := map[string]string{
		"linux/amd64":   "linux64",
		"darwin/amd64":  "mac-x64",
		"darwin/arm64":  "mac-arm64",
		"windows/386":   "win32",
		"windows/amd64": "win64",
		"windows/arm64": "win64",
	}[goos+"/"+goarch]
	return name, ok
}

// compareVersions orders dotted version numbers; what is no number counts as 0.
func compareVersions(a, b string) int {
	return slices.Compare(versionNumbers(a), versionNumbers(b))
}

func versionNumbers(version string) []int {
	var numbers []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers
}

// wrapped is the program behind a distribution's wrapper script, empty if path
// is not known to be one.
func wrapped(path string) string {
	switch path {
	case "/usr/bin/chromium":
		return "/usr/lib/chromium/chromium"
	case "/usr/bin/chromium-headless-shell":
		return "/usr/lib/chromium/chromium-headless-shell"
	case "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable":
		return "/opt/google/chrome/chrome"
	case "/usr/bin/microsoft-edge", "/usr/bin/microsoft-edge-stable":
		return "/opt/microsoft/msedge/msedge"
	case "/usr/bin/brave-browser", "/usr/bin/brave-browser-stable":
		return "/opt/brave.com/brave/brave"
	}
	return ""
}
