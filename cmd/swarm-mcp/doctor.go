package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// doctorCmd is "swarm-mcp doctor".
type doctorCmd struct {
	browserFlags `embed:"" group:"browser"`

	JSON bool `name:"json" help:"Print JSON."`
}

// verdict is how a check came out.
type verdict string

const (
	good verdict = "ok"
	warn verdict = "warn"
	fail verdict = "fail"
)

// check is one line of the report.
type check struct {
	Name    string  `json:"name"`
	Verdict verdict `json:"verdict"`
	// Found is what is there, in words.
	Found string `json:"found"`
	// Next is what to do about it; empty when nothing needs doing.
	Next string `json:"next,omitempty"`
}

// report is what doctor prints. OK is false when a check failed.
type report struct {
	OK      bool     `json:"ok"`
	Browser string   `json:"browser,omitempty"`
	Product string   `json:"product,omitempty"`
	Version string   `json:"version,omitempty"`
	StartMS int64    `json:"start_ms,omitempty"`
	Looked  []string `json:"looked"`
	Flags   []string `json:"flags,omitempty"`
	Checks  []check  `json:"checks"`
}

// Run starts the browser once, reports, and fails when something must be done
// before the server can work.
func (c *doctorCmd) Run(ctx context.Context, p process) error {
	cfg, err := c.browserFlags.config()
	if err != nil {
		return err
	}
	r := examine(swarm.Diagnose(ctx, cfg), cfg.Headed, checkTemp(os.TempDir()))
	if c.JSON {
		err = printJSON(p.out, r)
	} else {
		err = r.print(p.out)
	}
	if err == nil && !r.OK {
		err = errReported
	}
	return err
}

// examine judges what was found for a browser with windows, if headed, or
// without; temp is the check of the temporary directory.
func examine(d *swarm.Diagnosis, headed bool, temp check) report {
	r := report{
		OK: true, Browser: d.Browser, Product: d.Product, Version: d.Version,
		StartMS: d.StartTime.Milliseconds(), Looked: d.Looked, Flags: d.Flags,
	}
	r.Checks = append(r.Checks, checkBrowser(d))
	if d.FindErr == nil {
		r.Checks = append(r.Checks, checkStart(d), checkSandbox(d))
	}
	if headed {
		r.Checks = append(r.Checks, checkDisplay(d))
	}
	r.Checks = append(r.Checks, checkShm(d), checkFonts(d), temp)
	for _, c := range r.Checks {
		r.OK = r.OK && c.Verdict != fail
	}
	return r
}

func checkBrowser(d *swarm.Diagnosis) check {
	if d.FindErr != nil {
		return check{"browser", fail, d.FindErr.Error(),
			"run swarm-mcp install, or name a browser with --browser"}
	}
	return check{"browser", good, strings.TrimSpace(fmt.Sprintf("%s (%s %s)", d.Browser, d.Product, d.Version)), ""}
}

func checkStart(d *swarm.Diagnosis) check {
	if d.StartErr != nil {
		return check{"start", fail, d.StartErr.Error(),
			"if a library is missing, install it or take the distribution's package (swarm-mcp install --from=packages); else try another browser with --browser"}
	}
	return check{"start", good, fmt.Sprintf("started and opened a page in %v", d.StartTime.Round(time.Millisecond)), ""}
}

func checkSandbox(d *swarm.Diagnosis) check {
	c := check{"sandbox", good, d.Sandbox, ""}
	if strings.HasPrefix(d.Sandbox, "off") {
		c.Verdict = warn
		c.Next = "run as an ordinary user, or visit only pages that you trust"
	}
	return c
}

// checkShm judges shared memory, which Chrome uses for pictures unless told
// not to; containers give 64 MiB where it wants several times that.
func checkShm(d *swarm.Diagnosis) check {
	const enough = 256 << 20
	switch {
	case d.DevShmBytes < 0:
		return check{"shared memory", good, "not used on this system", ""}
	case d.DevShmBytes >= enough:
		return check{"shared memory", good, size(d.DevShmBytes) + " in /dev/shm", ""}
	case slices.Contains(d.Flags, "--disable-dev-shm-usage"):
		return check{"shared memory", good, size(d.DevShmBytes) + " in /dev/shm, not used: the temporary directory is", ""}
	}
	return check{"shared memory", warn, size(d.DevShmBytes) + " in /dev/shm; large pages may crash",
		"give the container more (--shm-size=1g), or use --browser-arg=--disable-dev-shm-usage"}
}

func checkFonts(d *swarm.Diagnosis) check {
	if !d.Fonts {
		return check{"fonts", warn, "none; text in screenshots shows as boxes", "install fonts, as fonts-liberation and fonts-noto-color-emoji"}
	}
	return check{"fonts", good, "found", ""}
}

func checkDisplay(d *swarm.Diagnosis) check {
	if !d.Display {
		return check{"display", fail, "none to show windows on", "set DISPLAY or WAYLAND_DISPLAY, run under xvfb-run, or leave out --no-headless"}
	}
	return check{"display", good, "found", ""}
}

// checkTemp makes and removes what a profile directory is.
func checkTemp(dir string) check {
	made, err := os.MkdirTemp(dir, "swarm-mcp-doctor-*")
	if err == nil {
		defer os.RemoveAll(made)
		err = os.WriteFile(filepath.Join(made, "file"), make([]byte, 1<<20), 0o600)
	}
	if err != nil {
		return check{"temporary files", fail, err.Error(), "free space there, or set TMPDIR to a directory that can be written"}
	}
	return check{"temporary files", good, dir, ""}
}

// print writes the report for people.
func (r report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		lines := strings.Split(strings.TrimSpace(c.Found), "\n")
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Verdict, c.Name, lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(table, "\t\t%s\n", line)
		}
		if c.Next != "" {
			fmt.Fprintf(table, "\t\t-> %s\n", c.Next)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if len(r.Looked) > 0 {
		fmt.Fprintf(w, "\nlooked for\n  %s\n", strings.Join(r.Looked, "\n  "))
	}
	if len(r.Flags) > 0 {
		fmt.Fprintf(w, "\nstarted with\n  %s\n", strings.Join(r.Flags, "\n  "))
	}
	return nil
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// printJSON writes v indented.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
