package testsite

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// plainFixtures are pages with next to nothing on them.
func plainFixtures() []fixture {
	return []fixture{
		{path: "/t/blank", shows: "an empty page", serve: page(`<title>blank</title>`)},
		{path: "/t/n/{i}", shows: "B16: title i, i in #p, an input #i", serve: serveNumbered, link: "/t/n/7"},
		{path: "/t/slow", shows: "answers after ?ms=800 with ?title=slow", serve: delayed(800, page(
			`<title>{{or (.Get "title") "slow"}}</title><p id=p>{{or (.Get "title") "slow"}}</p>`))},
		{path: "/t/hang", shows: "never answers", serve: serveHang},
		{path: "/t/a", id: "B13", shows: "link #go to ?to=/t/b (which takes ?ms=, or comes by /t/redirect); #m says A", serve: page(
			`<title>A</title><a id=go href="{{or (.Get "to") "/t/b"}}">go</a><p id=m>A</p>`)},
		{path: "/t/b", shows: "#m says B, after ?ms=0", serve: delayed(0, page(`<title>B</title><p id=m>B</p>`))},
	}
}

// httpFixtures are about what the server answers, not about the page.
func httpFixtures() []fixture {
	return []fixture{
		{path: "/t/status/{code}", shows: "that status, 200 to 599, with a page or with ?empty=1", serve: serveStatus, link: "/t/status/404"},
		{path: "/t/204", shows: "no content", serve: func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}},
		{path: "/t/dl", id: "B11", shows: "a download, a.bin, of 1000 bytes", serve: func(w http.ResponseWriter, _ *http.Request) error {
			return serveDownload(w, "a.bin")
		}},
		{path: "/t/dl/{name}", shows: "the same under any name", link: "/t/dl/b.txt", serve: func(w http.ResponseWriter, r *http.Request) error {
			return serveDownload(w, r.PathValue("name"))
		}},
		{path: "/t/redirect", shows: "to ?to=/t/b by ?n=1 redirects", serve: serveRedirect},
		{path: "/t/loop", id: "B91", shows: "redirects to itself", serve: func(w http.ResponseWriter, r *http.Request) error {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return nil
		}},
		{path: "/t/401", id: "B67", shows: "Basic authentication, user u, password p", serve: protected(page(`<title>welcome</title><p id=p>welcome</p>`))},
		{path: "/t/set-cookie", shows: "sets each k=v of the query as a session cookie for the site", serve: settingCookies(page(`<title>saved</title>`)), link: "/t/set-cookie?k=v"},
		{path: "/t/cookies", shows: "the Cookie header in #cookies", serve: page(
			`<title>cookies</title><pre id=cookies>{{.Cookie}}</pre>`)},
		{path: "/t/echo", shows: "the request as JSON: method, url, headers, body", serve: serveEcho},
	}
}

func serveNumbered(w http.ResponseWriter, r *http.Request) error {
	i, err := strconv.Atoi(r.PathValue("i"))
	if err != nil {
		return fmt.Errorf("%q is not a number", r.PathValue("i"))
	}
	answer(w, htmlType, fmt.Sprintf("<!doctype html>\n<meta charset=utf-8>\n<title>%d</title><p id=p>%d</p><input id=i>\n", i, i))
	return nil
}

func serveHang(_ http.ResponseWriter, r *http.Request) error {
	// The server notices that the client has gone only once the body is read.
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	// Returning would answer 200.
	panic(http.ErrAbortHandler)
}

func serveStatus(w http.ResponseWriter, r *http.Request) error {
	code, err := strconv.Atoi(r.PathValue("code"))
	if err != nil || code < 200 || code > 599 {
		return fmt.Errorf("%q is not a status from 200 to 599", r.PathValue("code"))
	}
	w.Header().Set("Content-Type", htmlType)
	w.WriteHeader(code)
	if r.URL.Query().Get("empty") == "" {
		_, _ = fmt.Fprintf(w, "<!doctype html>\n<meta charset=utf-8>\n<title>%d</title><p id=p>%d %s</p>\n", code, code, http.StatusText(code))
	}
	return nil
}

func serveDownload(w http.ResponseWriter, name string) error {
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(path.Base(name)))
	answer(w, "application/octet-stream", strings.Repeat("0123456789", 100))
	return nil
}

func serveRedirect(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "n", 1, 100)
	if err != nil {
		return err
	}
	to := r.URL.Query().Get("to")
	if to == "" {
		to = "/t/b"
	}
	if n > 1 {
		to = "/t/redirect?" + url.Values{"to": {to}, "n": {strconv.Itoa(n - 1)}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusFound)
	return nil
}

// protected serves to u with the password p only.
func protected(serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if user, password, _ := r.BasicAuth(); user == "u" && password == "p" {
			return serve(w, r)
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="testsite"`)
		http.Error(w, "401 Unauthorized", http.StatusUnauthorized)
		return nil
	}
}

// settingCookies serves with a cookie for each pair of the query.
func settingCookies(serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			http.SetCookie(w, &http.Cookie{Name: name, Value: query.Get(name), Path: "/"})
		}
		return serve(w, r)
	}
}

func serveEcho(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10<<20))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(struct {
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers http.Header `json:"headers"`
		Body    string      `json:"body"`
	}{r.Method, r.URL.String(), r.Header, string(body)})
	return nil
}
