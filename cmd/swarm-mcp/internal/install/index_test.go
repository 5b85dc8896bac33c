package install

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindTakesTheNewestKnownGoodVersionOfThePlatform(t *testing.T) {
	var x index
	require.NoError(t, json.Unmarshal([]byte(`{"versions":[
		{"version":"99.0.1.2","downloads":{"chrome":[{"platform":"linux64","url":"https://x/99"}]}},
		{"version":"151.0.9.1","downloads":{"chrome":[{"platform":"linux64","url":"https://x/151"}]}},
		{"version":"151.0.10.0","downloads":{"chrome":[{"platform":"win64","url":"https://x/win"}]}},
		{"version":"../../9999","downloads":{"chrome":[{"platform":"linux64","url":"https://x/evil"}]}}]}`), &x))
	b, err := x.find(Chrome, "linux64")
	require.NoError(t, err)
	assert.Equal(t, Build{Product: Chrome, Version: "151.0.9.1", Platform: "linux64", URL: "https://x/151"}, b)

	_, err = x.find(HeadlessShell, "linux64")
	assert.EqualError(t, err, "the index has no chrome-headless-shell for linux64")
}

func TestPlatform(t *testing.T) {
	for _, test := range []struct{ goos, goarch, want string }{
		{"linux", "amd64", "linux64"},
		{"darwin", "amd64", "mac-x64"},
		{"darwin", "arm64", "mac-arm64"},
		{"windows", "amd64", "win64"},
	} {
		got, err := Platform(test.goos, test.goarch)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	_, err := Platform("linux", "arm64")
	assert.ErrorContains(t, err, "linux/arm64")
}

func TestExecutable(t *testing.T) {
	for want, b := range map[string]Build{
		"chrome-linux64/chrome":                                                                   {Product: Chrome, Platform: "linux64"},
		"chrome-headless-shell-win64/chrome-headless-shell.exe":                                   {Product: HeadlessShell, Platform: "win64"},
		"chrome-headless-shell-mac-x64/chrome-headless-shell":                                     {Product: HeadlessShell, Platform: "mac-x64"},
		"chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing": {Product: Chrome, Platform: "mac-arm64"},
	} {
		assert.Equal(t, want, b.executable())
	}
}

func TestOnlyHTTPSOrThisMachine(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://example.com/x":     true,
		"http://example.com/x":      false,
		"http://127.0.0.1:8000/x":   true,
		"http://localhost/x":        true,
		"http://[::1]:80/x":         true,
		"http://localhost.evil.com": false,
		"ftp://localhost/x":         false,
		"file:///etc/passwd":        false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.Equal(t, ok, checkScheme(u) == nil, address)
	}
}

func TestARedirectMayNotLeaveHTTPS(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://192.0.2.1/index.json", http.StatusFound))
	defer s.Close()
	_, err := fetchIndex(t.Context(), http.DefaultClient, s.URL)
	assert.ErrorContains(t, err, "not an https address")
}

func TestAnIndexThatIsNone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/text" {
			_, _ = w.Write([]byte("<html>not JSON</html>"))
			return
		}
		http.NotFound(w, r)
	}))
	defer s.Close()
	_, err := fetchIndex(t.Context(), http.DefaultClient, s.URL+"/text")
	assert.ErrorContains(t, err, "read the index")
	_, err = fetchIndex(t.Context(), http.DefaultClient, s.URL+"/none")
	assert.ErrorContains(t, err, "404")
}
