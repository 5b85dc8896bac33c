package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
)

// Agent is the name by which robots.txt can address the crawl.
const Agent = "swarm-mcp"

// Pace lets one caller through at a time, an interval apart.
type Pace struct {
	interval time.Duration

	mu   sync.Mutex
	next time.Time
}

// NewPace returns a Pace whose first caller does not wait.
func NewPace(interval time.Duration) *Pace { return &Pace{interval: interval} }

// Wait returns at the caller's turn or when ctx ends.
func (p *Pace) Wait(ctx context.Context) error {
	p.mu.Lock()
	turn := time.Now()
	if turn.Before(p.next) {
		turn = p.next
	}
	p.next = turn.Add(p.interval)
	p.mu.Unlock()

	timer := time.NewTimer(time.Until(turn))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Robots is what a site's robots.txt says to Agent.
type Robots struct{ data *robotstxt.RobotsData }

// FetchRobots reads the robots.txt of the site that page is of. A site
// without one allows everything; one whose robots.txt cannot be read nothing,
// as RFC 9309 has it.
func FetchRobots(ctx context.Context, client *http.Client, page string) (*Robots, error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	req.Header.Set("User-Agent", Agent)
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	defer resp.Body.Close()
	resp.Body = http.MaxBytesReader(nil, resp.Body, 1<<20)
	data, err := robotstxt.FromResponse(resp)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", u, err)
	}
	return &Robots{data: data}, nil
}

// Allowed reports whether the page may be visited.
func (r *Robots) Allowed(page *url.URL) bool { return r.data.TestAgent(page.RequestURI(), Agent) }

// Delay is the time that the site wants between requests, 0 if it does not say.
func (r *Robots) Delay() time.Duration { return r.data.FindGroup(Agent).CrawlDelay }
