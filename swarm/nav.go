package swarm

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/frames"
)

// downloadBound is how long the name of a download may lag behind the word
// that there is one.
const downloadBound = time.Second

const (
	// refreshBound is how long a refresh that is due may take to begin.
	refreshBound = time.Second
	// maxRefreshes is how many of them Goto follows.
	maxRefreshes = 10
)

// schemes are the schemes that Goto opens. The others reach the machine's files
// or the browser's own pages.
var schemes = []string{"http", "https", "about", "data", "blob"}

// Goto navigates the tab's main frame and waits until the page has got as far
// as opts.WaitUntil says, following redirects of every kind on the way. A
// status of 400 or more is no error: it is in the Navigation, as the page is in
// the tab. An address that turns out to be a file, or has no content (204),
// leaves the tab where it was, and is no error either.
//
// Without a deadline in ctx the time is Config.NavigationTimeout.
//
// Errors: INVALID_ARGUMENT for what is no absolute URL; URL_BLOCKED for a
// scheme other than http, https, about, data and blob; NAVIGATION_FAILED, with
// NetError, when the document could not be loaded; TIMEOUT_ERROR, with URL set
// when the document had arrived and the tab can be used as it is.
func (t *Tab) Goto(ctx context.Context, address string, opts *GotoOptions) (*Navigation, error) {
	about := subject{op: "goto", tab: t, waiting: "the server at " + address + " to answer"}
	mark, err := markOf(opts)
	if err == nil {
		err = CheckURL(address)
	}
	if err != nil {
		return nil, translate(err, about)
	}
	ctx, done, err := t.begin(ctx, t.manager.config.NavigationTimeout)
	if err != nil {
		return nil, translate(err, about)
	}
	defer done()
	giveTurn, err := t.take(ctx)
	if err != nil {
		return nil, translate(err, about)
	}
	defer giveTurn()
	n, err := t.navigate(ctx, address, mark)
	return n, translate(err, about)
}

// markOf is the lifecycle mark that a navigation waits for.
func markOf(opts *GotoOptions) (frames.Mark, error) {
	if opts == nil {
		return frames.Load, nil
	}
	switch opts.WaitUntil {
	case "", WaitLoad:
		return frames.Load, nil
	case WaitDOMContentLoaded:
		return frames.DOMContentLoaded, nil
	case WaitNetworkIdle0:
		return frames.NetworkIdle, nil
	case WaitNetworkIdle2:
		return frames.NetworkAlmostIdle, nil
	}
	return "", &Error{Type: InvalidArgument, Message: fmt.Sprintf(
		"waitUntil is %q; it must be load, domcontentloaded, networkidle0 or networkidle2", opts.WaitUntil)}
}

// CheckURL says whether Goto would try to open the address: nil, or the
// INVALID_ARGUMENT or URL_BLOCKED that it would answer.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return &Error{Type: InvalidArgument, Op: "goto", URL: address, Message: fmt.Sprintf("%q is not a URL", address), Err: err}
	case u.Scheme == "" || (u.Host == "" && slices.Contains([]string{"http", "https"}, strings.ToLower(u.Scheme))):
		return &Error{Type: InvalidArgument, Op: "goto", URL: address, Message: fmt.Sprintf("%q is not an absolute URL; write it as https://…", address)}
	case !slices.Contains(schemes, strings.ToLower(u.Scheme)):
		return &Error{Type: URLBlocked, Op: "goto", URL: address, Message: fmt.Sprintf("URLs of the scheme %q are not opened; %s are", u.Scheme, strings.Join(schemes, ", "))}
	}
	return nil
}

func (t *Tab) navigate(ctx context.Context, address string, mark frames.Mark) (*Navigation, error) {
	before, _ := t.frames.Main()
	select {
	case <-t.downloads: // One that a script or a link began before is not this navigation's.
	default:
	}
	t.mu.Lock()
	t.response = response{}
	t.mu.Unlock()
	// The network is listened to until the document's response has come, for
	// its status, and not longer: its events are many.
	t.session.Send(network.CommandEnable, nil)
	reply, err := cdp.Start(t.session, page.Navigate, page.NavigateParams{URL: address}).Wait(ctx)
	t.session.Send(network.CommandDisable, nil)
	if err != nil {
		if ctx.Err() != nil {
			t.session.Send(page.CommandStopLoading, nil)
		}
		return nil, fmt.Errorf("navigate: %w", err)
	}
	t.mu.Lock()
	status := 0
	if t.response.loader == reply.LoaderID {
		status = t.response.status
	}
	t.mu.Unlock()
	switch {
	case reply.IsDownload:
		return t.arrived(ctx, &Navigation{Download: t.awaitDownload(ctx, address)})
	case reply.ErrorText == "net::ERR_ABORTED" && (status == 204 || status == 205):
		return t.arrived(ctx, &Navigation{HTTPStatus: status})
	case reply.ErrorText != "" && status < 400:
		return nil, navigationFailed(address, reply.ErrorText)
	case reply.LoaderID == "":
		return t.arrived(ctx, &Navigation{SameDocument: true})
	}
	if err := t.awaitMark(ctx, address, reply.LoaderID, before.Navigations, mark); err != nil {
		return nil, err
	}
	if reply.ErrorText != "" {
		// A response without a body: the browser fills in a page of its own.
		main, _ := t.frames.Main()
		return &Navigation{URL: main.UnreachableURL, HTTPStatus: status}, nil
	}
	return t.settled(ctx, address, reply.LoaderID, status, mark)
}

// settled reads where the tab is now, after the refreshes that pages ask for at
// once; status is that of the document of loader.
func (t *Tab) settled(ctx context.Context, address string, loader protocdp.LoaderID, status int, mark frames.Mark) (*Navigation, error) {
	for hops := 0; ; hops++ {
		main, _ := t.frames.Main()
		info, err := t.info(ctx)
		if err != nil {
			return nil, err
		}
		if !info.Refreshes || mark == frames.DOMContentLoaded || hops == maxRefreshes || !t.movesOn(ctx, main.Navigations) {
			if main, _ = t.frames.Main(); main.Loader != loader {
				status = info.Status
			}
			return &Navigation{URL: info.URL, Title: info.Title, HTTPStatus: status}, nil
		}
		if err := t.awaitMark(ctx, address, "", main.Navigations, mark); err != nil {
			return nil, err
		}
	}
}

// movesOn waits a moment for the main frame to show another document.
func (t *Tab) movesOn(ctx context.Context, navigations int) bool {
	ctx, cancel := context.WithTimeout(ctx, refreshBound)
	defer cancel()
	return t.frames.Wait(ctx, func(v frames.View) (bool, error) {
		main, ok := v.Main()
		return ok && (main.Started || main.Navigations > navigations), nil
	}) == nil
}

// awaitMark waits until the document that the navigation brought, or the one
// that it sent the tab on to, has reached the mark.
func (t *Tab) awaitMark(ctx context.Context, address string, loader protocdp.LoaderID, navigations int, mark frames.Mark) error {
	committed := false
	err := t.frames.Wait(ctx, func(v frames.View) (bool, error) {
		main, ok := v.Main()
		if !ok {
			return false, nil
		}
		committed = committed || main.Loader == loader || main.Navigations > navigations
		return committed && !main.Started && main.Marks.Has(mark), nil
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && committed && t.over() == nil {
		return &Error{Type: TimeoutError, URL: t.URL(), Err: err, Message: fmt.Sprintf(
			"%s arrived but did not reach %q in time (something on it is still loading); the tab can be used as it is, or navigate with waitUntil domcontentloaded", address, mark)}
	}
	return err
}

// arrived reads where the tab is now.
func (t *Tab) arrived(ctx context.Context, n *Navigation) (*Navigation, error) {
	info, err := t.info(ctx)
	n.URL, n.Title = info.URL, info.Title
	return n, err
}

func (t *Tab) info(ctx context.Context) (engine.Info, error) {
	info, err := call[engine.Info](ctx, t.MainFrame(), "info", nil)
	if err != nil && ctx.Err() != nil && t.over() == nil {
		return info, &Error{Type: TimeoutError, URL: t.URL(), Err: err,
			Message: "the page arrived but does not answer: its scripts keep it busy"}
	}
	return info, err
}

// awaitDownload waits for the name of the file that a navigation became.
func (t *Tab) awaitDownload(ctx context.Context, address string) *Download {
	select {
	case d := <-t.downloads:
		return &d
	case <-time.After(downloadBound):
	case <-ctx.Done():
	}
	return &Download{URL: address}
}

func navigationFailed(address, code string) *Error {
	next := map[string]string{
		"net::ERR_NAME_NOT_RESOLVED":        "the host name is not known; check its spelling",
		"net::ERR_CONNECTION_REFUSED":       "nothing listens there; check host and port",
		"net::ERR_CERT_AUTHORITY_INVALID":   "its certificate is not trusted; --ignore-https-errors accepts it",
		"net::ERR_CERT_COMMON_NAME_INVALID": "its certificate is for another name; --ignore-https-errors accepts it",
		"net::ERR_CERT_DATE_INVALID":        "its certificate is out of date; --ignore-https-errors accepts it",
		"net::ERR_TOO_MANY_REDIRECTS":       "the server redirects for ever",
		"net::ERR_INTERNET_DISCONNECTED":    "the machine has no network",
		"net::ERR_PROXY_CONNECTION_FAILED":  "the proxy does not answer; check --proxy",
		"net::ERR_ABORTED":                  "the page or a newer navigation stopped it",
	}[code]
	if next == "" {
		next = "the browser's error code says why"
	}
	return &Error{Type: NavigationFailed, URL: address, NetError: code, Message: fmt.Sprintf("%s could not be loaded: %s (%s)", address, next, code)}
}

// navigating reports whether the main frame is on its way to another document.
func (t *Tab) navigating() bool {
	main, ok := t.frames.Main()
	return ok && main.Pending != ""
}

// Title is the title of the tab's document.
func (t *Tab) Title(ctx context.Context) (string, error) {
	about := subject{op: "title", tab: t, waiting: "the page to answer"}
	ctx, done, err := t.begin(ctx, t.manager.config.ActionTimeout)
	if err != nil {
		return "", translate(err, about)
	}
	defer done()
	n, err := t.arrived(ctx, &Navigation{})
	if err != nil {
		return "", translate(err, about)
	}
	return n.Title, nil
}
