package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/puppeteer-swarm/swarm-mcp/cmd/swarm-mcp/internal/install"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// installCmd is "swarm-mcp install".
type installCmd struct {
	Headed          bool   `help:"Get a browser with windows too, for --no-headless."`
	From            string `enum:"auto,packages,download" default:"auto" help:"The distribution's packages (Debian and its kin, as root), a download of Chrome for Testing, or whichever works (${enum})."`
	Dir             string `placeholder:"DIR" help:"Where downloads are installed; implies --from=download."`
	Index           string `placeholder:"URL" help:"Index of Chrome for Testing; otherwise the published one. Implies --from=download."`
	AllowUnverified bool   `help:"Install a download even if nobody gives a hash to check it by."`
	DryRun          bool   `help:"Say what would be done."`
}

// Run gets a browser. What it does goes to standard error, the result to
// standard output.
func (c *installCmd) Run(ctx context.Context, p process) error {
	if c.From == "auto" && c.Dir == "" && c.Index == "" && install.PackagesAvailable() {
		err := c.packages(ctx, p)
		if err == nil || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(p.err, "%v\nthe packages cannot be had; taking Chrome for Testing instead\n", err)
	}
	if c.From == "packages" {
		if !install.PackagesAvailable() {
			return errors.New("packages can only be installed by root on Debian and its kin; try sudo, or --from=download")
		}
		return c.packages(ctx, p)
	}
	return c.download(ctx, p)
}

func (c *installCmd) packages(ctx context.Context, p process) error {
	packages := install.Packages{Log: p.err}
	names := packages.Names(c.Headed)
	switch {
	case packages.Installed(ctx, names):
		fmt.Fprintf(p.out, "already there: %s\n", strings.Join(names, " "))
		return nil
	case c.DryRun:
		fmt.Fprintf(p.out, "would run: %s\n", strings.Join(packages.Command(names), " "))
		return nil
	}
	if err := packages.Install(ctx, names); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "installed: %s\n", strings.Join(names, " "))
	return nil
}

func (c *installCmd) download(ctx context.Context, p process) error {
	platform, err := install.Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	dir, index := c.Dir, c.Index
	if dir == "" {
		if dir, err = swarm.InstallDir(); err != nil {
			return fmt.Errorf("find the directory for browsers (name one with --dir): %w", err)
		}
	}
	if index == "" {
		index = install.DefaultIndex
	}
	products := []string{install.HeadlessShell}
	if c.Headed {
		products = append(products, install.Chrome)
	}
	d := install.NewDownloader(install.Options{
		Dir: dir, Index: index, Platform: platform, AllowUnverified: c.AllowUnverified,
		Log: p.err,
	})
	builds, err := d.Find(ctx, products...)
	if err != nil {
		return err
	}
	for _, b := range builds {
		switch {
		case d.Installed(b):
			fmt.Fprintf(p.out, "already there: %s %s in %s\n", b.Product, b.Version, d.Path(b))
			continue
		case c.DryRun:
			fmt.Fprintf(p.out, "would download %s to %s\n", b.URL, d.Path(b))
			continue
		}
		progress := newBar(p.err, b.Product, -1, true)
		err := d.Install(ctx, b, progress.set)
		progress.end()
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "installed: %s %s in %s\n", b.Product, b.Version, d.Path(b))
	}
	return nil
}
