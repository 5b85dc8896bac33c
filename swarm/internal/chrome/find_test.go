package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// machine is a System with these files and nothing else; a file is in PATH
// when it lies in a directory called bin.
func machine(goos string, env map[string]string, files ...string) *System {
	return &System{
		GOOS: goos, GOARCH: "amd64",
		InstallDir: "/cache",
		Getenv:     func(key string) string { return env[key] },
		LookPath: func(name string) (string, error) {
			for _, f := range files {
				if filepath.Base(f) == name && filepath.Base(filepath.Dir(f)) == "bin" {
					return f, nil
				}
			}
			return "", errors.New("not in PATH")
		},
		Executable: func(path string) bool { return slices.Contains(files, path) },
		Entries: func(dir string) []string {
			var names []string
			for _, f := range files {
				if rest, ok := strings.CutPrefix(f, dir+"/"); ok {
					name, _, _ := strings.Cut(rest, "/")
					names = append(names, name)
				}
			}
			return names
		},
	}
}

func TestFind(t *testing.T) {
	const (
		shellScript = "/usr/bin/chromium-headless-shell"
		shellReal   = "/usr/lib/chromium/chromium-headless-shell"
		script      = "/usr/bin/chromium"
		chromium    = "/usr/lib/chromium/chromium"
		google      = "/opt/google/chrome/chrome"
		edge        = "/opt/microsoft/msedge/msedge"
		brave       = "/opt/brave.com/brave/brave"
		oldShell    = "/cache/99.0.1.1/chrome-headless-shell-linux64/chrome-headless-shell"
		newShell    = "/cache/156.0.1.1/chrome-headless-shell-linux64/chrome-headless-shell"
		testChrome  = "/cache/156.0.1.1/chrome-linux64/chrome"
	)
	tests := []struct {
		name    string
		opts    FindOptions
		goos    string
		env     map[string]string
		files   []string
		path    string
		product string
	}{
		{name: "the program before its script", files: []string{shellScript, shellReal, google}, path: shellReal, product: HeadlessShell},
		{name: "a script alone is taken", files: []string{shellScript}, path: shellScript, product: HeadlessShell},
		{name: "the distribution before a download", files: []string{newShell, shellReal}, path: shellReal, product: HeadlessShell},
		{name: "the newest download", files: []string{oldShell, newShell, google}, path: newShell, product: HeadlessShell},
		{name: "no shell when headed", opts: FindOptions{Headed: true}, files: []string{shellReal, newShell, chromium}, path: chromium, product: Chromium},
		{name: "Chrome before Chromium", files: []string{brave, edge, chromium, google}, path: google, product: Chrome},
		{name: "Chromium before Edge", files: []string{brave, edge, script, chromium}, path: chromium, product: Chromium},
		{name: "Edge before Brave", files: []string{brave, edge}, path: edge, product: Edge},
		{name: "Brave", files: []string{brave}, path: brave, product: Brave},
		{name: "a downloaded Chrome", opts: FindOptions{Headed: true}, files: []string{newShell, testChrome}, path: testChrome, product: Chrome},

		{name: "a path", opts: FindOptions{Path: "/x/chrome"}, env: map[string]string{PathVariable: edge}, files: []string{"/x/chrome", edge, shellReal}, path: "/x/chrome", product: Chrome},
		{name: "a name", opts: FindOptions{Path: "chromium"}, files: []string{script}, path: script, product: Chromium},
		{name: "a known script", opts: FindOptions{Path: script}, files: []string{script, chromium}, path: chromium, product: Chromium},
		{name: "a name of a known script", opts: FindOptions{Path: "chromium-headless-shell"}, files: []string{shellScript, shellReal}, path: shellReal, product: HeadlessShell},
		{name: "an unknown product", opts: FindOptions{Path: "/x/thorium"}, files: []string{"/x/thorium"}, path: "/x/thorium", product: "thorium"},
		{name: "the environment", env: map[string]string{PathVariable: edge}, files: []string{edge, shellReal}, path: edge, product: Edge},

		{name: "an application", goos: "darwin", files: []string{"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}, path: "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", product: Chrome},
		{name: "a user's application", goos: "darwin", env: map[string]string{"HOME": "/Users/u"}, files: []string{"/Users/u/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"}, path: "/Users/u/Applications/Brave Browser.app/Contents/MacOS/Brave Browser", product: Brave},
		{name: "a downloaded application", goos: "darwin", opts: FindOptions{Headed: true}, files: []string{"/cache/156.0.1.1/chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"}, path: "/cache/156.0.1.1/chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing", product: Chrome},
		{name: "a Windows program", goos: "windows", env: map[string]string{"ProgramFiles(x86)": "/p86"}, files: []string{"/p86/Microsoft/Edge/Application/msedge.exe"}, path: "/p86/Microsoft/Edge/Application/msedge.exe", product: Edge},
		{name: "a downloaded Windows program", goos: "windows", files: []string{"/cache/156.0.1.1/chrome-headless-shell-win64/chrome-headless-shell.exe"}, path: "/cache/156.0.1.1/chrome-headless-shell-win64/chrome-headless-shell.exe", product: HeadlessShell},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.goos == "" {
				tt.goos = "linux"
			}
			tt.opts.System = machine(tt.goos, tt.env, tt.files...)
			found, err := Find(tt.opts)
			require.NoError(t, err)
			assert.Equal(t, tt.path, found.Path)
			assert.Equal(t, tt.product, found.Product)
			assert.Equal(t, tt.product == HeadlessShell, found.HeadlessShell)
			assert.NotEmpty(t, found.Looked)
		})
	}
}

func TestFindNothing(t *testing.T) {
	_, err := Find(FindOptions{System: machine("linux", nil)})
	var missing *NotFoundError
	require.ErrorAs(t, err, &missing)
	for _, part := range []string{
		"/usr/lib/chromium/chromium-headless-shell", "google-chrome", "/opt/microsoft/msedge/msedge", "brave-browser", "/cache/*/",
		"swarm-mcp install`", "apt-get install chromium-headless-shell", PathVariable,
	} {
		assert.ErrorContains(t, err, part)
	}

	_, err = Find(FindOptions{Headed: true, System: machine("linux", nil)})
	assert.ErrorContains(t, err, "swarm-mcp install --headed")
	assert.NotContains(t, err.Error(), "headless-shell")
}

// A browser that was named is not replaced by another.
func TestFindNamedMissing(t *testing.T) {
	const shell = "/usr/lib/chromium/chromium-headless-shell"
	var missing *NotFoundError

	_, err := Find(FindOptions{Path: "/no/browser", System: machine("linux", nil, shell)})
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, []string{"/no/browser"}, missing.Looked)

	_, err = Find(FindOptions{System: machine("linux", map[string]string{PathVariable: "/no/browser"}, shell)})
	require.ErrorAs(t, err, &missing)
	assert.ErrorContains(t, err, "$CHROME_PATH=/no/browser")

	_, err = Find(FindOptions{Path: shell, Headed: true, System: machine("linux", nil, shell)})
	assert.ErrorContains(t, err, "cannot show windows")
}

func TestCompareVersions(t *testing.T) {
	versions := []string{"99.0.1.1", "156.0.8078.9", "156.0.8078.114", "download", "156"}
	slices.SortFunc(versions, compareVersions)
	assert.Equal(t, []string{"download", "99.0.1.1", "156", "156.0.8078.9", "156.0.8078.114"}, versions)
}

func TestVersionFromFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"99.0.1.1", "156.0.1.1", "Dictionaries"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	version, err := versionFromFiles(filepath.Join(dir, "chrome.exe"))
	require.NoError(t, err)
	assert.Equal(t, "156.0.1.1", version)

	inner := filepath.Join(dir, "99.0.1.1", "chrome-win64")
	require.NoError(t, os.Mkdir(inner, 0o700))
	version, err = versionFromFiles(filepath.Join(inner, "chrome.exe"))
	require.NoError(t, err)
	assert.Equal(t, "99.0.1.1", version)

	_, err = versionFromFiles(filepath.Join(t.TempDir(), "chrome.exe"))
	assert.Error(t, err)
}
