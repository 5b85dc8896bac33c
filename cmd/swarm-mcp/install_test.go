package main

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/cmd/swarm-mcp/internal/install"
)

// startIndex serves an index whose builds are all one small archive, laid out
// for this machine.
func startIndex(t *testing.T) (address, platform string) {
	platform, err := install.Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("there is nothing to download on this machine: %v", err)
	}
	archives := map[string][]byte{}
	for _, product := range []string{install.HeadlessShell, install.Chrome} {
		b := install.Build{Product: product, Platform: platform, Version: "1"}
		path, err := filepath.Rel(filepath.Join("d", "1"), install.NewDownloader(install.Options{Dir: "d"}).Path(b))
		require.NoError(t, err)
		var raw bytes.Buffer
		w := zip.NewWriter(&raw)
		_, err = w.Create(filepath.ToSlash(path))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		archives["/"+product+".zip"] = raw.Bytes()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if archive, ok := archives[r.URL.Path]; ok {
			sum := md5.Sum(archive)
			w.Header().Set("X-Goog-Hash", "md5="+base64.StdEncoding.EncodeToString(sum[:]))
			_, _ = w.Write(archive)
			return
		}
		at := fmt.Sprintf(`[{"platform":%q,"url":"http://%s/`, platform, r.Host)
		fmt.Fprintf(w, `{"channels":{"Stable":{"version":"150.0.1.2","downloads":{"chrome":%schrome.zip"}],"chrome-headless-shell":%schrome-headless-shell.zip"}]}}}}`, at, at)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/index.json", platform
}

func TestInstallDownloadsWhatIsMissing(t *testing.T) {
	index, platform := startIndex(t)
	dir := t.TempDir()
	runInstall := func(args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"install", "--dir=" + dir, "--index=" + index}, args...)
		require.Equal(t, exitOK, run(t.Context(), args, process{out: &out, err: &errs}), errs.String())
		return out.String()
	}

	assert.Contains(t, runInstall("--dry-run"), "would download http://")
	rest, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, rest, "a dry run does nothing")

	assert.True(t, strings.HasPrefix(runInstall(), "installed: chrome-headless-shell 150.0.1.2 in "+dir))
	again := runInstall("--headed")
	assert.Contains(t, again, "already there: chrome-headless-shell 150.0.1.2")
	assert.Contains(t, again, "installed: chrome 150.0.1.2")
	assert.DirExists(t, filepath.Join(dir, "150.0.1.2", "chrome-"+platform))
}

func TestInstallFailsWithOneLine(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"install", "--dir=" + t.TempDir(), "--index=http://127.0.0.1:1/"}, process{out: &out, err: &errs})
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs.String(), "swarm-mcp: read the index: ")
	assert.Empty(t, out.String())
}
