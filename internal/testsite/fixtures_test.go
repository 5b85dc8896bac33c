package testsite

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFixtureAnswersAndIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := Handler()
		_, index := get(t, handler, "/t/")
		seen := map[string]bool{}
		for _, f := range fixtures() {
			assert.NotEmpty(t, f.shows, f.path)
			assert.Contains(t, index, `href="`+f.address()+`"`)
			assert.NotContains(t, f.address(), "{")
			if f.path == "/t/hang" {
				continue
			}
			response, body := get(t, handler, f.address())
			assert.NotContains(t, []int{400, 405, 500}, response.StatusCode, "%s: %s", f.path, body)
			if f.id == "" {
				continue
			}
			assert.False(t, seen[f.id], f.id)
			seen[f.id] = true
			if strings.Contains(f.path, "loop") {
				continue // it names itself
			}
			_, alias := get(t, handler, "/t/"+f.id)
			assert.Equal(t, body, alias, f.id)
		}
	})
}

func TestEveryFixtureFileIsServed(t *testing.T) {
	handler := Handler()
	err := fs.WalkDir(files, "pages/t", func(name string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		path, isPage := strings.CutSuffix(strings.TrimPrefix(name, "pages"), ".html")
		if d.IsDir() {
			return nil
		}
		want, err := files.ReadFile(name)
		require.NoError(t, err)
		_, body := get(t, handler, path)
		assert.Equal(t, string(want), body, path)
		if !isPage || strings.HasPrefix(path, "/t/charset/") {
			return nil
		}
		assert.True(t, strings.HasPrefix(body, "<!doctype html>"), path)
		assert.Contains(t, body[:min(100, len(body))], "<meta charset=utf-8>", path)
		assert.Regexp(t, `<title>[^<]+</title>`, body, path)
		return nil
	})
	require.NoError(t, err)
}

func TestStatusesAndHeaders(t *testing.T) {
	handler := Handler()
	for _, c := range []struct {
		path   string
		status int
		header string // name
		want   string // its value
		body   string // a part of it
	}{
		{"/t/204", 204, "Content-Type", "", ""},
		{"/t/status/404", 404, "Content-Type", htmlType, "404 Not Found"},
		{"/t/status/503?empty=1", 503, "Content-Type", htmlType, ""},
		{"/t/dl", 200, "Content-Disposition", "attachment; filename*=UTF-8''a.bin", "0123456789"},
		{"/t/dl/%C3%BC%20b.txt", 200, "Content-Disposition", "attachment; filename*=UTF-8''%C3%BC%20b.txt", "0123456789"},
		{"/t/redirect", 302, "Location", "/t/b", ""},
		{"/t/redirect?to=/t/n/3&n=2", 302, "Location", "/t/redirect?n=1&to=%2Ft%2Fn%2F3", ""},
		{"/t/redirect?to=/t/n/3&n=1", 302, "Location", "/t/n/3", ""},
		{"/t/loop", 302, "Location", "/t/loop", ""},
		{"/t/401", 401, "Www-Authenticate", `Basic realm="testsite"`, "401"},
		{"/t/set-cookie?k=v", 200, "Set-Cookie", "k=v; Path=/", "<title>saved</title>"},
		{"/t/csp", 200, "Content-Security-Policy", "default-src 'none'; require-trusted-types-for 'script'", "strict"},
		{"/t/B59", 200, "Content-Security-Policy", "default-src 'self'; script-src 'self'; require-trusted-types-for 'script'", "/t/csp-self/page.js"},
		{"/t/csp-self/page.js", 200, "Content-Type", "text/javascript", "window.hit"},
		{"/t/worker/service.js", 200, "Content-Type", "text/javascript", "skipWaiting"},
		{"/t/charset/shift_jis", 200, "Content-Type", "text/html; charset=shift_jis", "\x93\xfa\x96\x7b\x8c\xea"},
		{"/t/charset/latin1", 200, "Content-Type", "text/html", "caf\xe9"},
		{"/t/charset/utf8bom", 200, "Content-Type", "text/html", "\xef\xbb\xbf<!doctype html>"},
		{"/t/raw-header", 200, "X-Raw", "caf\xe9 \xff", "raw"},
		{"/t/json", 200, "Content-Type", "application/json", "你好"},
		{"/t/plain", 200, "Content-Type", "text/plain; charset=utf-8", "<b>not bold</b>"},
		{"/t/svg", 200, "Content-Type", "image/svg+xml", "<circle"},
		{"/t/slow?ms=0&title=%3Cx%3E", 200, "Content-Type", htmlType, "<title>&lt;x&gt;</title>"},
		{"/t/a?to=/t/b?ms=800", 200, "Content-Type", htmlType, `href="/t/b?ms=800"`},
		{"/t/frame-cross-site", 200, "Content-Type", htmlType, `src="http://localhost:80/t/inner-button"`},
		{"/t/frame-cross-site?other=http://localhost:99", 200, "Content-Type", htmlType, `src="http://localhost:99/t/inner-button"`},
		{"/t/frames", 200, "Content-Type", htmlType, `src="/t/frames/nested?other=http%3a%2f%2flocalhost%3a80"`},
		{"/favicon.ico", 204, "Content-Type", "", ""},
		{"/robots.txt", 200, "Content-Type", "text/plain; charset=utf-8", "Disallow: /t/"},
		{pricesPath, 200, "Content-Disposition", `attachment; filename="prices.csv"`, "Hojicha,€9.80"},
	} {
		response, body := get(t, handler, c.path)
		assert.Equal(t, c.status, response.StatusCode, c.path)
		assert.Equal(t, c.want, response.Header.Get(c.header), c.path)
		assert.Contains(t, body, c.body, c.path)
		if c.body == "" && c.status != http.StatusFound {
			assert.Empty(t, body, c.path)
		}
	}
}

func TestABadQueryIsRefused(t *testing.T) {
	for _, path := range []string{
		"/t/slow?ms=fast", "/t/slow?ms=-1", "/t/big?nodes=1e3", "/t/rows?n=999999999", "/t/text?mb=x",
		"/t/redirect?n=x", "/t/n/x", "/t/status/99", "/t/status/ok", "/t/colour/red",
	} {
		response, body := get(t, Handler(), path)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode, path)
		assert.NotEmpty(t, body, path)
	}
}

func TestPasswordOpens(t *testing.T) {
	for password, want := range map[string]int{"p": http.StatusOK, "wrong": http.StatusUnauthorized} {
		r := httptest.NewRequest(http.MethodGet, "/t/401", nil)
		r.SetBasicAuth("u", password)
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, password)
	}
}

func TestEchoTellsTheRequest(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/t/echo?a=b", strings.NewReader("body"))
	r.Header.Set("X-Test", "1")
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	var echo struct {
		Method, URL, Body string
		Headers           http.Header
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &echo))
	assert.Equal(t, "POST /t/echo?a=b body 1", strings.Join([]string{echo.Method, echo.URL, echo.Body, echo.Headers.Get("X-Test")}, " "))
}

func TestCookiesAreShown(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/t/cookies", nil)
	r.Header.Set("Cookie", "k=v; a=<b>")
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), "<pre id=cookies>k=v; a=&lt;b&gt;</pre>")
}

func TestTheOtherNameIsTheOther(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1:80": "http://localhost:80", "localhost:80": "http://127.0.0.1:80", "localhost": "http://127.0.0.1",
		"127.0.0.1": "http://localhost", "[::1]:80": "http://localhost:80",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		assert.Equal(t, want, otherOrigin(r), host)
	}
}

func TestBigHasItsNodes(t *testing.T) {
	tag := regexp.MustCompile(`<[a-z]`)
	for _, nodes := range []int{0, 1, 5, 999, 5000} {
		_, page := get(t, Handler(), fmt.Sprintf("/t/big?nodes=%d", nodes))
		_, body, ok := strings.Cut(page, "<body>")
		require.True(t, ok)
		assert.Len(t, tag.FindAllString(body, -1), nodes)
	}
	_, rows := get(t, Handler(), "/t/rows?n=12")
	assert.Equal(t, 12, strings.Count(rows, "<tr "))
	_, text := get(t, Handler(), "/t/text?mb=2")
	_, text, _ = strings.Cut(text, "<div")
	_, text, _ = strings.Cut(text, ">")
	text, _, _ = strings.Cut(text, "</div>")
	assert.Len(t, text, 2<<20)
}

func TestBinariesAreValid(t *testing.T) {
	response, body := get(t, Handler(), "/t/img.png")
	assert.Equal(t, "image/png", response.Header.Get("Content-Type"))
	picture, err := png.Decode(strings.NewReader(body))
	require.NoError(t, err)
	assert.Equal(t, "(64,48)", picture.Bounds().Size().String())

	response, body = get(t, Handler(), "/t/charset/gzip")
	assert.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	page, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Contains(t, string(page), "Grüße, 你好")

	_, pdf := get(t, Handler(), "/t/pdf")
	var start int
	_, err = fmt.Sscanf(pdf[strings.LastIndex(pdf, "startxref"):], "startxref\n%d", &start)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(pdf[start:], "xref\n0 6\n"))
	for i, line := range strings.Split(pdf[start:], "\n")[3:8] {
		var offset int
		_, err = fmt.Sscanf(line, "%d", &offset)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(pdf[offset:], fmt.Sprintf("%d 0 obj", i+1)), line)
	}
}

func TestTheSameRequestGetsTheSameAnswer(t *testing.T) {
	one, other := Handler(), Handler()
	for _, path := range []string{"/", "/img/harbour.png", "/img/sencha.svg", "/t/big", "/t/set-cookie?b=1&a=2", "/t/charset/gzip"} {
		a, b := httptest.NewRecorder(), httptest.NewRecorder()
		one.ServeHTTP(a, httptest.NewRequest(http.MethodGet, path, nil))
		other.ServeHTTP(b, httptest.NewRequest(http.MethodGet, path, nil))
		assert.True(t, bytes.Equal(a.Body.Bytes(), b.Body.Bytes()), path)
		assert.Equal(t, a.Header(), b.Header(), path)
	}
}
