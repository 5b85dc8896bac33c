package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/cmd/swarm-mcp/internal/crawl"
	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// Limits of a crawl of somebody else's site.
const (
	politePages = 60
	politeTabs  = 2
	politePause = time.Second
)

// demoCmd is "swarm-mcp demo".
type demoCmd struct {
	URL     string `arg:"" optional:"" help:"Site to crawl, politely: its own links only, one page a second, as its robots.txt allows. Otherwise the built-in site is crawled, at full speed."`
	Tabs    int    `placeholder:"N" help:"Tabs that work in parallel (default 5; 2 with a URL)."`
	Pages   int    `placeholder:"N" help:"Most pages to visit (default all; 60 with a URL)."`
	Depth   int    `placeholder:"N" help:"Most links to follow from the first page (default any number)."`
	Out     string `default:"demo-out" help:"Directory for pages.jsonl, report.md, screenshots and server.log."`
	Install bool   `help:"Get a browser first if none is there, as swarm-mcp install does."`

	browserFlags `embed:"" group:"browser"`
}

// Run crawls and reports. It fails when a page of the built-in site did, or
// when of another site nothing could be read.
func (c *demoCmd) Run(ctx context.Context, p process) error {
	if c.Tabs < 0 || c.Pages < 0 || c.Depth < 0 {
		return usageError{errors.New("--tabs, --pages and --depth cannot be negative")}
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usageError{fmt.Errorf("%q is not an http or https address", c.URL)}
	}
	if c.Install {
		if err := c.install(ctx, p); err != nil {
			return err
		}
	}
	start := c.URL
	if start == "" {
		site, err := testsite.Start()
		if err != nil {
			return fmt.Errorf("start the built-in site: %w", err)
		}
		defer site.Close()
		start = site.URL
	}
	plan, err := c.plan(ctx, start)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(c.Out, "screenshots"), 0o755); err != nil {
		return fmt.Errorf("make the output directory: %w", err)
	}
	r, err := c.crawl(ctx, p, plan)
	if len(r.Records) > 0 { // what was reached before an error too
		r.Site = start
		if err == nil && c.URL == "" && c.Pages == 0 && c.Depth == 0 {
			r.compare(start, testsite.Pages())
		}
		err = errors.Join(err, r.write(c.Out, p.out))
	}
	switch {
	case err != nil:
		return err
	case c.URL == "" && r.Failures+len(r.Unexpected) > 0, r.Read == 0:
		return errReported
	}
	return nil
}

// install gets a browser unless one is found.
func (c *demoCmd) install(ctx context.Context, p process) error {
	cfg, err := c.browserFlags.config()
	if err != nil {
		return err
	}
	if swarm.Diagnose(ctx, cfg).FindErr == nil {
		return nil
	}
	get := installCmd{From: "auto", Headed: !c.Headless}
	return get.Run(ctx, process{in: p.in, out: p.err, err: p.err, exit: p.exit})
}

// crawlPlan is what to visit and how fast.
type crawlPlan struct {
	frontier *crawl.Frontier
	tabs     int
	pace     *crawl.Pace // nil for full speed
}

// plan sets the bounds, from robots.txt too if the site is not ours.
func (c *demoCmd) plan(ctx context.Context, start string) (crawlPlan, error) {
	plan := crawlPlan{tabs: c.Tabs}
	bounds := crawl.Bounds{Pages: c.Pages, Depth: c.Depth}
	if plan.tabs == 0 {
		plan.tabs = 5
	}
	if c.URL != "" {
		robots, err := crawl.FetchRobots(ctx, c.httpClient(), start)
		if err != nil {
			return plan, err
		}
		bounds.Allowed = robots.Allowed
		plan.pace = crawl.NewPace(max(politePause, robots.Delay()))
		if c.Tabs == 0 {
			plan.tabs = politeTabs
		}
		if c.Pages == 0 {
			bounds.Pages = politePages
		}
	}
	frontier, err := crawl.NewFrontier(start, bounds)
	if err != nil && c.URL != "" {
		err = fmt.Errorf("%w: the site's robots.txt does not allow it", err)
	}
	plan.frontier = frontier
	return plan, err
}

// httpClient reads robots.txt the way the browser will read the pages.
func (c *demoCmd) httpClient() *http.Client {
	transport := &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: c.IgnoreHTTPSErrors},
	}
	if proxy, err := url.Parse(c.Proxy); err == nil && proxy.Host != "" {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// crawl starts the server and visits the plan's pages through it.
func (c *demoCmd) crawl(ctx context.Context, p process, plan crawlPlan) (r results, err error) {
	serverLog, err := os.Create(filepath.Join(c.Out, "server.log"))
	if err != nil {
		return r, fmt.Errorf("make the server's log: %w", err)
	}
	defer serverLog.Close()
	client, err := startServer(ctx, append(c.browserFlags.args(), fmt.Sprintf("--tab-count=%d", plan.tabs)), serverLog)
	if err != nil {
		return r, err
	}
	defer func() {
		if closeErr := client.close(); err == nil && closeErr != nil {
			err = fmt.Errorf("stop the server: %w", closeErr)
		}
	}()

	visitors := make([]*visitor, plan.tabs)
	for i := range visitors {
		visitors[i] = &visitor{tools: client, slot: i + 1, pace: plan.pace, screenshots: filepath.Join(c.Out, "screenshots")}
	}
	progress := newBar(p.err, "crawling", int64(plan.frontier.Known()), false)
	began := time.Now()
	err = crawl.Run(ctx, plan.frontier, plan.tabs,
		func(ctx context.Context, worker int, page crawl.Page) ([]string, error) {
			return visitors[worker].visit(ctx, page)
		},
		func(done, known int) { progress.set(int64(done), int64(known)) })
	elapsed := time.Since(began)
	progress.end()
	for _, v := range visitors {
		if releaseErr := v.release(ctx); err == nil {
			err = releaseErr
		}
	}
	return collect(visitors, elapsed), err
}
