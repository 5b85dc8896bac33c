package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// browserFlags say which browser runs and how.
type browserFlags struct {
	Headless          bool     `env:"HEADLESS" default:"true" negatable:"" help:"Run the browser without windows, which is the default; --no-headless needs a display."`
	Browser           string   `env:"SWARM_BROWSER" placeholder:"PATH" help:"Browser to start, a path or a name; otherwise the first one found (see swarm-mcp doctor)."`
	BrowserArg        []string `env:"SWARM_BROWSER_ARG" sep:"none" placeholder:"ARG" help:"Argument for the browser's command line, as --browser-arg=--mute-audio; repeatable. One value may hold several, each beginning with -- after white space."`
	UserAgent         string   `env:"SWARM_USER_AGENT" placeholder:"TEXT" help:"User agent; otherwise the browser's own."`
	Viewport          viewport `env:"SWARM_VIEWPORT" default:"${viewport}" help:"Size of a page, in CSS pixels."`
	Proxy             string   `env:"SWARM_PROXY" placeholder:"URL" help:"Proxy server for all tabs, as http://host:3128 or socks5://host:1080."`
	IgnoreHTTPSErrors bool     `name:"ignore-https-errors" env:"SWARM_IGNORE_HTTPS_ERRORS" help:"Accept certificates that do not verify."`
}

// poolFlags say how many tabs there are and how long things may take.
type poolFlags struct {
	TabCount          int      `env:"TAB_COUNT" default:"${tabs}" help:"Tabs that can be leased at once, 1 to ${maxTabs}."`
	Isolation         string   `env:"SWARM_ISOLATION" enum:"context,shared" default:"context" help:"What tabs share: nothing (context), or cookies and storage (shared)."`
	LeaseTimeout      duration `env:"SWARM_LEASE_TIMEOUT" default:"${lease}" help:"How long a call waits for an idle tab. Times are as 30s or 2m; a plain number is milliseconds."`
	IdleTimeout       duration `env:"SWARM_IDLE_TIMEOUT" default:"${idle}" help:"Reclaim a tab that was not used for this long; 0 never does."`
	ActionTimeout     duration `env:"SWARM_ACTION_TIMEOUT" default:"${action}" help:"How long to look for an element and wait until it can be used."`
	NavigationTimeout duration `env:"SWARM_NAVIGATION_TIMEOUT" default:"${navigation}" help:"How long a page may take to load."`
}

// outputFlags shape the results of tools.
type outputFlags struct {
	MaxChars     int    `env:"SWARM_MAX_CHARS" default:"${maxChars}" help:"Cut text in results to this many characters."`
	ScreenshotAs string `env:"SWARM_SCREENSHOT_AS" enum:"image,json" default:"image" help:"Return pictures as an image block, or in the JSON (${enum})."`
}

// logFlags say what is logged and where.
type logFlags struct {
	LogLevel string `env:"SWARM_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Least level that is logged (${enum})."`
	LogFile  string `env:"SWARM_LOG_FILE" placeholder:"PATH" help:"Append the log to this file instead of standard error."`
}

// config is the library's configuration as far as these flags say it.
func (f browserFlags) config() (swarm.Config, error) {
	args, err := splitArgs(f.BrowserArg)
	if err != nil {
		return swarm.Config{}, err
	}
	return swarm.Config{
		Headed:            !f.Headless,
		Browser:           f.Browser,
		BrowserArgs:       args,
		UserAgent:         f.UserAgent,
		Viewport:          swarm.Viewport(f.Viewport),
		Proxy:             f.Proxy,
		IgnoreHTTPSErrors: f.IgnoreHTTPSErrors,
	}, nil
}

// args are the flags as a command line of the same meaning.
func (f browserFlags) args() []string {
	args := []string{
		fmt.Sprintf("--headless=%t", f.Headless),
		fmt.Sprintf("--viewport=%dx%d", f.Viewport.Width, f.Viewport.Height),
		fmt.Sprintf("--ignore-https-errors=%t", f.IgnoreHTTPSErrors),
	}
	for _, flag := range []struct{ name, value string }{
		{"browser", f.Browser}, {"user-agent", f.UserAgent}, {"proxy", f.Proxy},
	} {
		if flag.value != "" {
			args = append(args, "--"+flag.name+"="+flag.value)
		}
	}
	for _, arg := range f.BrowserArg {
		args = append(args, "--browser-arg="+arg)
	}
	return args
}

// apply sets the flags' fields of cfg.
func (f poolFlags) apply(cfg *swarm.Config) error {
	if f.TabCount < 1 || f.TabCount > swarm.MaxTabCount {
		return usageError{fmt.Errorf("--tab-count: %d is not from 1 to %d", f.TabCount, swarm.MaxTabCount)}
	}
	for _, d := range []struct {
		flag  string
		value duration
	}{
		{"lease-timeout", f.LeaseTimeout},
		{"action-timeout", f.ActionTimeout},
		{"navigation-timeout", f.NavigationTimeout},
	} {
		if d.value == 0 {
			return usageError{fmt.Errorf("--%s: must be more than 0", d.flag)}
		}
	}
	cfg.TabCount = f.TabCount
	cfg.Isolation = swarm.Isolation(f.Isolation)
	cfg.LeaseTimeout = time.Duration(f.LeaseTimeout)
	cfg.ActionTimeout = time.Duration(f.ActionTimeout)
	cfg.NavigationTimeout = time.Duration(f.NavigationTimeout)
	cfg.IdleTimeout = time.Duration(f.IdleTimeout)
	if f.IdleTimeout == 0 { // a zero field would mean the default
		cfg.IdleTimeout = -1
	}
	return nil
}

// open returns the logger and what closes its file.
func (f logFlags) open(stderr io.Writer) (*slog.Logger, func() error, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return nil, nil, usageError{fmt.Errorf("--log-level: %w", err)}
	}
	out, closeLog := stderr, func() error { return nil }
	if f.LogFile != "" {
		file, err := os.OpenFile(f.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--log-file: %w", err)}
		}
		out, closeLog = file, file.Close
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), closeLog, nil
}

// duration is a time as Go writes it ("30s"), or in plain milliseconds.
type duration time.Duration

// UnmarshalText parses the flag's value.
func (d *duration) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if ms, numErr := strconv.ParseInt(string(text), 10, 64); numErr == nil {
		if ms > math.MaxInt64/int64(time.Millisecond) {
			return fmt.Errorf("%q is too long", text)
		}
		value, err = time.Duration(ms)*time.Millisecond, nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a time; write 30s, 2m, or milliseconds as 30000", text)
	case value < 0:
		return fmt.Errorf("%q is negative", text)
	}
	*d = duration(value)
	return nil
}

// viewport is a size written as 1280x720.
type viewport swarm.Viewport

// UnmarshalText parses the flag's value.
func (v *viewport) UnmarshalText(text []byte) error {
	width, height, _ := strings.Cut(string(text), "x")
	w, errW := strconv.Atoi(width)
	h, errH := strconv.Atoi(height)
	if errors.Join(errW, errH) != nil || w < 1 || h < 1 {
		return fmt.Errorf("%q is not a size; write it as 1280x720", text)
	}
	*v = viewport{Width: w, Height: h}
	return nil
}

// splitArgs takes apart values that hold several arguments, as an environment
// variable must: each begins with "--" after white space. Quotes mean nothing,
// so a value may have spaces.
func splitArgs(values []string) ([]string, error) {
	next := regexp.MustCompile(`\s+--`)
	var args []string
	for _, value := range values {
		value = next.ReplaceAllString(strings.TrimSpace(value), "\n--")
		for arg := range strings.SplitSeq(value, "\n") {
			if !strings.HasPrefix(arg, "--") {
				return nil, usageError{fmt.Errorf("--browser-arg: %q does not begin with --", arg)}
			}
			args = append(args, arg)
		}
	}
	return args, nil
}
