package testsite

import (
	"context"
	"embed"
	"net/http"
	"strings"
	"time"
)

//go:embed pages
var files embed.FS

// Handler serves the shop at "/" and the fixtures under "/t/". A handler of
// a request ends when the request's context does.
func Handler() http.Handler {
	mux := http.NewServeMux()
	addShop(mux)
	addFixtures(mux)
	mux.Handle("GET /static/", http.StripPrefix("/static/", staticFiles()))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, "text/plain; charset=utf-8", "User-agent: *\nDisallow: /t/\n")
	})
	// Full browsers ask for it on every site; a 404 would be a line in the
	// console of pages that have none.
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// staticFiles serves the style sheet and the scripts.
func staticFiles() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		http.ServeFileFS(w, r, files, "pages/static/"+strings.TrimPrefix(r.URL.Path, "/"))
	})
}

// answer sends a whole body. That the client has gone is nobody's business here.
func answer[T string | []byte](w http.ResponseWriter, contentType string, body T) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write([]byte(body))
}

const htmlType = "text/html; charset=utf-8"

// pause waits for d and says whether it did; false is that ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
