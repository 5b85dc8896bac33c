package swarm

import (
	"fmt"
	"log/slog"
	"time"
)

// Isolation says what the leases of one browser share.
type Isolation string

const (
	// IsolationContext gives each lease a browser context of its own (cookies,
	// storage, cache, permissions), thrown away at release. The default.
	IsolationContext Isolation = "context"
	// IsolationShared keeps one browser context, and so one login, for all
	// leases of the browser.
	IsolationShared Isolation = "shared"
)

// Defaults of a Config's zero fields.
const (
	DefaultTabCount          = 5
	DefaultLeaseTimeout      = 30 * time.Second
	DefaultIdleTimeout       = 5 * time.Minute
	DefaultActionTimeout     = 10 * time.Second
	DefaultNavigationTimeout = 30 * time.Second
	DefaultScriptTimeout     = 30 * time.Second
	DefaultStartTimeout      = 30 * time.Second
)

// MaxTabCount is the largest TabCount that New accepts.
const MaxTabCount = 512

// Viewport is the size of a page's viewport in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// DefaultViewport is the viewport of a tab whose Config names none.
var DefaultViewport = Viewport{Width: 1280, Height: 720}

// Config is what New takes. The zero Config is a headless browser with
// DefaultTabCount tabs. New copies it; later changes have no effect.
type Config struct {
	// TabCount is how many tabs can be leased at once, 1 to MaxTabCount.
	TabCount int
	// Headed shows the browser's windows. It needs a display.
	Headed bool
	// Isolation says what leases share; IsolationContext when empty.
	Isolation Isolation

	// LeaseTimeout bounds the wait for an idle tab.
	LeaseTimeout time.Duration
	// IdleTimeout is how long a lease may go without a call before it is
	// reclaimed; negative means for ever.
	IdleTimeout time.Duration
	// ActionTimeout bounds finding an element and acting on it.
	ActionTimeout time.Duration
	// NavigationTimeout bounds Tab.Goto.
	NavigationTimeout time.Duration
	// StartTimeout bounds the start of the browser.
	StartTimeout time.Duration

	// Browser is the path or name of the browser to start. Empty means the
	// first of those known to be installed: chrome-headless-shell when
	// headless, then Chrome, Chromium, Edge, Brave.
	Browser string
	// BrowserArgs are added to the browser's command line, after ours.
	BrowserArgs []string
	// UserAgent replaces the browser's own in every request and script.
	UserAgent string
	// Viewport is the size of a new tab's viewport; DefaultViewport when zero.
	Viewport Viewport
	// Proxy is the proxy server of all tabs, as Chrome's --proxy-server takes it.
	Proxy string
	// IgnoreHTTPSErrors accepts certificates that do not verify.
	IgnoreHTTPSErrors bool

	// Logger takes the library's log; nil discards it. Typed text is never
	// logged.
	Logger *slog.Logger
}

// withDefaults returns the config with its zero fields filled, or says which
// field cannot be used.
func (c Config) withDefaults() (Config, error) {
	fill := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	fill(&c.LeaseTimeout, DefaultLeaseTimeout)
	fill(&c.IdleTimeout, DefaultIdleTimeout)
	fill(&c.ActionTimeout, DefaultActionTimeout)
	fill(&c.NavigationTimeout, DefaultNavigationTimeout)
	fill(&c.StartTimeout, DefaultStartTimeout)
	if c.TabCount == 0 {
		c.TabCount = DefaultTabCount
	}
	if c.Isolation == "" {
		c.Isolation = IsolationContext
	}
	if c.Viewport == (Viewport{}) {
		c.Viewport = DefaultViewport
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	for _, bad := range []struct {
		is   bool
		what string
	}{
		{c.TabCount < 1 || c.TabCount > MaxTabCount, fmt.Sprintf("TabCount is %d; it must be 1 to %d", c.TabCount, MaxTabCount)},
		{c.Isolation != IsolationContext && c.Isolation != IsolationShared, fmt.Sprintf("Isolation is %q; it must be %q or %q", c.Isolation, IsolationContext, IsolationShared)},
		{c.LeaseTimeout < 0, "LeaseTimeout is negative"},
		{c.ActionTimeout < 0, "ActionTimeout is negative"},
		{c.NavigationTimeout < 0, "NavigationTimeout is negative"},
		{c.StartTimeout < 0, "StartTimeout is negative"},
		{c.Viewport.Width < 1 || c.Viewport.Height < 1 || c.Viewport.Width > 10000 || c.Viewport.Height > 10000,
			fmt.Sprintf("Viewport is %dx%d; each side must be 1 to 10000", c.Viewport.Width, c.Viewport.Height)},
	} {
		if bad.is {
			return c, &Error{Type: InvalidArgument, Op: "new", Message: bad.what}
		}
	}
	return c, nil
}
