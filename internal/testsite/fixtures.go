package testsite

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// fixture is a page under /t/ and what it is for.
type fixture struct {
	path  string // may end in a wildcard of http.ServeMux
	id    string // its entry in the list of known failures; served at /t/ID too
	shows string
	serve serveFunc // nil serves the file pages+path+".html"
	link  string    // for the index, where path alone is no address or shows little
}

// serveFunc answers a request, or returns what is wrong with its query.
type serveFunc func(http.ResponseWriter, *http.Request) error

// fixtures are all of them, in the order of the index.
func fixtures() []fixture {
	return slices.Concat(
		plainFixtures(),
		httpFixtures(),
		navigationFixtures(),
		dialogFixtures(),
		clickFixtures(),
		typingFixtures(),
		frameFixtures(),
		shadowFixtures(),
		paintFixtures(),
		contentFixtures(),
		scriptFixtures(),
	)
}

func addFixtures(mux *http.ServeMux) {
	all := fixtures()
	for _, f := range all {
		serve := f.serve
		if serve == nil {
			serve = file("pages"+f.path+".html", htmlType)
		}
		handler := badQuery(serve)
		mux.Handle(f.path, handler)
		if f.id != "" {
			mux.Handle("/t/"+f.id, handler)
		}
	}
	mux.Handle("GET /t/{$}", badQuery(index(all)))
	mux.Handle("GET /t/worker/worker.js", badQuery(file("pages/t/worker/worker.js", "text/javascript")))
	mux.Handle("GET /t/worker/service.js", badQuery(file("pages/t/worker/service.js", "text/javascript")))
	mux.Handle("GET /t/csp-self/page.js", badQuery(file("pages/t/csp-self/page.js", "text/javascript")))
}

// badQuery answers 400 with what serve returns.
func badQuery(serve serveFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
}

const indexText = `<!doctype html>
<meta charset=utf-8>
<title>fixtures</title>
<table>{{range .}}
<tr><td><a href="{{.Link}}">{{.Path}}</a><td>{{.ID}}<td>{{.Shows}}{{end}}
</table>
`

// index lists the fixtures.
func index(all []fixture) serveFunc {
	type row struct{ Link, Path, ID, Shows string }
	var rows []row
	for _, f := range all {
		rows = append(rows, row{f.address(), f.path, f.id, f.shows})
	}
	t := template.Must(template.New("index").Parse(indexText))
	return func(w http.ResponseWriter, _ *http.Request) error { return execute(w, t, rows) }
}

// address is a URL path that shows the fixture.
func (f fixture) address() string {
	if f.link != "" {
		return f.link
	}
	return f.path
}

// file serves an embedded file as it is.
func file(name, contentType string) serveFunc {
	return func(w http.ResponseWriter, _ *http.Request) error {
		body, err := files.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the page: %w", err)
		}
		answer(w, contentType, body)
		return nil
	}
}

// asked is what a page's template sees: the request's query, its Cookie header
// and the same server by its other name.
type asked struct {
	url.Values
	Cookie, Other string
}

// page serves a template with the request's query.
func page(text string) serveFunc {
	t := template.Must(template.New("page").Parse("<!doctype html>\n<meta charset=utf-8>\n" + text + "\n"))
	return func(w http.ResponseWriter, r *http.Request) error {
		q := asked{Values: r.URL.Query(), Cookie: r.Header.Get("Cookie"), Other: otherOrigin(r)}
		if other := q.Get("other"); other != "" {
			q.Other = other
		}
		return execute(w, t, q)
	}
}

func execute(w http.ResponseWriter, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	answer(w, htmlType, b.Bytes())
	return nil
}

// otherOrigin is the server's other name, seen from the one that was used.
func otherOrigin(r *http.Request) string {
	scheme, name := "http://", "localhost"
	if r.TLS != nil {
		scheme = "https://"
	}
	host := url.URL{Host: r.Host}
	if host.Hostname() == name {
		name = "127.0.0.1"
	}
	if host.Port() != "" {
		name += ":" + host.Port()
	}
	return scheme + name
}

// number is a whole number from the query: def if it is missing, an error
// outside 0 to most.
func number(r *http.Request, name string, def, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s=%q is not a number from 0 to %d", name, text, most)
	}
	return n, nil
}

// delayed waits for the query's ms, by default def, before it serves.
func delayed(def int, serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		ms, err := number(r, "ms", def, 600_000)
		if err != nil {
			return err
		}
		if !pause(r.Context(), time.Duration(ms)*time.Millisecond) {
			return nil // nobody is there any more
		}
		return serve(w, r)
	}
}
