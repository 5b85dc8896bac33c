package swarm

import (
	"context"
	"fmt"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/chrome"
)

// Diagnosis is what Diagnose found out about the machine and its browser.
type Diagnosis struct {
	// Browser is the path of the browser that would be started, Product its
	// kind ("headless-shell", "chrome", …), Version its version; empty when
	// FindErr says why there is none.
	Browser, Product, Version string
	// HeadlessShell is true for the browser that has no windows at all.
	HeadlessShell bool
	// Looked are the places looked at, in order.
	Looked  []string
	FindErr error

	// Root is true for the user whom Chrome refuses its sandbox.
	Root bool
	// Sandbox says in a few words whether the browser runs in its sandbox.
	Sandbox string
	// DevShmBytes is the size of /dev/shm, -1 where there is none to ask for.
	DevShmBytes int64
	// Display is true where a window can be shown.
	Display bool
	// Fonts is false when no font was found: pages are then blank boxes.
	Fonts bool

	// Flags is the command line that the browser gets, without the path.
	Flags []string
	// StartErr is why the browser could not be started and a page opened in
	// it; StartTime is how long that took.
	StartErr  error
	StartTime time.Duration
}

// Diagnose finds the browser that a manager with this config would start, looks
// at what the machine gives it, starts it, leases one tab and closes
// everything again. It reports in the Diagnosis and never fails itself.
func Diagnose(ctx context.Context, config Config) *Diagnosis {
	d := &Diagnosis{DevShmBytes: -1}
	found, err := chrome.Find(chrome.FindOptions{Path: config.Browser, Headed: config.Headed})
	d.Browser, d.Product, d.HeadlessShell, d.Looked, d.FindErr = found.Path, found.Product, found.HeadlessShell, found.Looked, err
	env := chrome.Probe(found.Path)
	d.Root, d.Display, d.Fonts = env.Root, env.Display, env.Fonts
	if env.GOOS == "linux" {
		d.DevShmBytes = int64(env.DevShm)
	}
	switch {
	case env.Root:
		d.Sandbox = "off: running as root, for whom the browser refuses it"
	case env.NoSandbox != "":
		d.Sandbox = "off: " + env.NoSandbox
	default:
		d.Sandbox = "on"
	}
	if err != nil {
		return d
	}
	d.Flags, _ = chrome.Flags(chrome.Options{
		Browser: found, Headed: config.Headed, Args: config.BrowserArgs, Proxy: config.Proxy, UserAgent: config.UserAgent,
		IgnoreHTTPSErrors: config.IgnoreHTTPSErrors,
	}, env)
	d.Version, _ = chrome.Version(ctx, found.Path) // The start tells too, where --version does not.
	began := time.Now()
	d.StartErr = d.start(ctx, config)
	d.StartTime = time.Since(began)
	return d
}

func (d *Diagnosis) start(ctx context.Context, config Config) error {
	config.TabCount = 1
	m, err := New(config)
	if err != nil {
		return err
	}
	tab, err := m.Lease(ctx, nil)
	if err == nil {
		if s := m.Status(); d.Version == "" {
			d.Version = s.Browser
		}
		_, err = tab.Evaluate(ctx, "document.readyState")
	}
	if closed := m.Close(); err == nil && closed != nil {
		err = fmt.Errorf("close the browser: %w", closed)
	}
	return err
}

// InstallDir is the directory that `swarm-mcp install` puts browsers into, and
// in which the library looks for them: one folder a version, under the user's
// cache directory.
func InstallDir() (string, error) { return chrome.InstallDir() }
