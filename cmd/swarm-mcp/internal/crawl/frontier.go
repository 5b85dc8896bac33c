package crawl

import (
	"fmt"
	"net/url"
	"strings"
)

// Page is an address to visit and how many links lead to it.
type Page struct {
	URL   string
	Depth int
}

// Bounds limit a crawl. It never leaves the origin it began at.
type Bounds struct {
	// Pages is how many are visited at most, and Depth how many links away
	// from the first; 0 sets no limit.
	Pages, Depth int
	// Allowed says whether a page may be visited; nil allows all.
	Allowed func(*url.URL) bool
}

// Frontier holds the pages to visit: each once, nearest first.
type Frontier struct {
	scheme, host string
	bounds       Bounds
	seen         map[string]bool
	queue        []Page
}

// NewFrontier returns a frontier that holds the page at start.
func NewFrontier(start string, bounds Bounds) (*Frontier, error) {
	u, err := url.Parse(start)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an http or https address", start)
	}
	f := &Frontier{bounds: bounds, seen: map[string]bool{}}
	f.scheme, f.host = origin(u)
	f.Add(start, 0)
	if len(f.queue) == 0 {
		return nil, fmt.Errorf("%s may not be visited", start)
	}
	return f, nil
}

// Add queues the page at link unless it is known or out of bounds. Links that
// differ in their fragment only are one page.
func (f *Frontier) Add(link string, depth int) {
	u, err := url.Parse(link)
	if err != nil || f.bounds.Depth > 0 && depth > f.bounds.Depth {
		return
	}
	if u.Scheme, u.Host = origin(u); u.Scheme != f.scheme || u.Host != f.host {
		return
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	address := u.String()
	if f.seen[address] || f.bounds.Pages > 0 && len(f.seen) >= f.bounds.Pages {
		return
	}
	if f.bounds.Allowed != nil && !f.bounds.Allowed(u) {
		return
	}
	f.seen[address] = true
	f.queue = append(f.queue, Page{URL: address, Depth: depth})
}

// Next takes the next page; ok is false when none waits.
func (f *Frontier) Next() (p Page, ok bool) {
	if len(f.queue) == 0 {
		return Page{}, false
	}
	p = f.queue[0]
	f.queue = f.queue[1:]
	return p, true
}

// Known is how many pages were ever queued.
func (f *Frontier) Known() int { return len(f.seen) }

// origin is the scheme and the host with its port, the default port left out.
func origin(u *url.URL) (scheme, host string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme, host
}
