package main

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/mcpadapter"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// clearEnv hides the variables of our flags from the test.
func clearEnv(t *testing.T) {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name == "TAB_COUNT" || name == "HEADLESS" || strings.HasPrefix(name, "SWARM_") {
			t.Setenv(name, "") // which counts as unset, and is restored
		}
	}
}

// parseServe parses args and returns the serve command they make.
func parseServe(t *testing.T, args ...string) (*serveCmd, error) {
	t.Helper()
	command, done, err := parse(args, process{out: t.Output(), err: t.Output()})
	require.False(t, done)
	if err != nil {
		return nil, err
	}
	c, ok := command.Selected().Target.Addr().Interface().(*serveCmd)
	require.True(t, ok)
	return c, nil
}

// settings is everything that the flags of serve decide.
type settings struct {
	Swarm   swarm.Config
	Adapter mcpadapter.Config
	Log     logFlags
}

func serveSettings(t *testing.T, args ...string) settings {
	t.Helper()
	c, err := parseServe(t, args...)
	require.NoError(t, err)
	s := settings{Log: c.logFlags}
	s.Swarm, err = c.swarmConfig()
	require.NoError(t, err)
	s.Adapter, err = c.adapterConfig()
	require.NoError(t, err)
	return s
}

func defaultSettings() settings {
	return settings{
		Swarm: swarm.Config{
			TabCount:          swarm.DefaultTabCount,
			Isolation:         swarm.IsolationContext,
			LeaseTimeout:      swarm.DefaultLeaseTimeout,
			IdleTimeout:       swarm.DefaultIdleTimeout,
			ActionTimeout:     swarm.DefaultActionTimeout,
			NavigationTimeout: swarm.DefaultNavigationTimeout,
			Viewport:          swarm.DefaultViewport,
		},
		Adapter: mcpadapter.Config{
			MaxChars:     mcpadapter.DefaultMaxChars,
			ScreenshotAs: mcpadapter.ScreenshotImage,
			Version:      readVersion().Version,
		},
		Log: logFlags{LogLevel: "info"},
	}
}

func TestServeIsTheDefaultCommand(t *testing.T) {
	clearEnv(t)
	assert.Equal(t, defaultSettings(), serveSettings(t))
	assert.Equal(t, defaultSettings(), serveSettings(t, "serve"))
	assert.Equal(t, 3, serveSettings(t, "--tab-count", "3").Swarm.TabCount)
}

// flagTests has a case for every flag of serve.
var flagTests = []struct {
	flag, env, value string
	want             func(*settings)
}{
	{"tab-count", "TAB_COUNT", "12", func(s *settings) { s.Swarm.TabCount = 12 }},
	{"headless", "HEADLESS", "false", func(s *settings) { s.Swarm.Headed = true }},
	{"headless", "HEADLESS", "0", func(s *settings) { s.Swarm.Headed = true }},
	{"headless", "HEADLESS", "true", func(s *settings) {}},
	{"isolation", "SWARM_ISOLATION", "shared", func(s *settings) { s.Swarm.Isolation = swarm.IsolationShared }},
	{"lease-timeout", "SWARM_LEASE_TIMEOUT", "1500", func(s *settings) { s.Swarm.LeaseTimeout = 1500 * time.Millisecond }},
	{"idle-timeout", "SWARM_IDLE_TIMEOUT", "2h", func(s *settings) { s.Swarm.IdleTimeout = 2 * time.Hour }},
	{"idle-timeout", "SWARM_IDLE_TIMEOUT", "0", func(s *settings) { s.Swarm.IdleTimeout = -1 }},
	{"action-timeout", "SWARM_ACTION_TIMEOUT", "2s", func(s *settings) { s.Swarm.ActionTimeout = 2 * time.Second }},
	{"navigation-timeout", "SWARM_NAVIGATION_TIMEOUT", "1m30s", func(s *settings) { s.Swarm.NavigationTimeout = 90 * time.Second }},
	{"browser", "SWARM_BROWSER", "/opt/x/chrome", func(s *settings) { s.Swarm.Browser = "/opt/x/chrome" }},
	{"browser-arg", "SWARM_BROWSER_ARG", "--mute-audio", func(s *settings) { s.Swarm.BrowserArgs = []string{"--mute-audio"} }},
	{"browser-arg", "SWARM_BROWSER_ARG", " --lang=de,en  --title=a b --x\n--y ", func(s *settings) {
		s.Swarm.BrowserArgs = []string{"--lang=de,en", "--title=a b", "--x", "--y"}
	}},
	{"user-agent", "SWARM_USER_AGENT", "Agent (x, y)", func(s *settings) { s.Swarm.UserAgent = "Agent (x, y)" }},
	{"viewport", "SWARM_VIEWPORT", "800x600", func(s *settings) { s.Swarm.Viewport = swarm.Viewport{Width: 800, Height: 600} }},
	{"proxy", "SWARM_PROXY", "socks5://p:1080", func(s *settings) { s.Swarm.Proxy = "socks5://p:1080" }},
	{"ignore-https-errors", "SWARM_IGNORE_HTTPS_ERRORS", "true", func(s *settings) { s.Swarm.IgnoreHTTPSErrors = true }},
	{"max-chars", "SWARM_MAX_CHARS", "100", func(s *settings) { s.Adapter.MaxChars = 100 }},
	{"screenshot-as", "SWARM_SCREENSHOT_AS", "json", func(s *settings) { s.Adapter.ScreenshotAs = mcpadapter.ScreenshotJSON }},
	{"log-level", "SWARM_LOG_LEVEL", "debug", func(s *settings) { s.Log.LogLevel = "debug" }},
	{"log-file", "SWARM_LOG_FILE", "/tmp/log", func(s *settings) { s.Log.LogFile = "/tmp/log" }},
}

func TestEachFlagAndItsVariable(t *testing.T) {
	for _, test := range flagTests {
		want := defaultSettings()
		test.want(&want)
		t.Run(test.flag+"="+test.value, func(t *testing.T) {
			clearEnv(t)
			assert.Equal(t, want, serveSettings(t, "--"+test.flag+"="+test.value))
		})
		t.Run(test.env+"="+test.value, func(t *testing.T) {
			clearEnv(t)
			t.Setenv(test.env, test.value)
			assert.Equal(t, want, serveSettings(t, "serve"))
		})
		t.Run(test.env+" set to nothing", func(t *testing.T) {
			clearEnv(t)
			t.Setenv(test.env, "")
			assert.Equal(t, defaultSettings(), serveSettings(t))
		})
	}
}

func TestEveryFlagOfServeIsTested(t *testing.T) {
	clearEnv(t)
	tested := map[string]string{"help": ""}
	for _, test := range flagTests {
		tested[test.flag] = test.env
	}
	command, _, err := parse([]string{"serve"}, process{})
	require.NoError(t, err)
	for _, f := range command.Flags() {
		env, ok := tested[f.Name]
		assert.True(t, ok, "--%s has no case in flagTests", f.Name)
		assert.Equal(t, env, strings.Join(f.Envs, ","), f.Name)
	}
}

func TestAFlagWinsOverItsVariable(t *testing.T) {
	clearEnv(t)
	t.Setenv("TAB_COUNT", "7")
	t.Setenv("HEADLESS", "false")
	s := serveSettings(t, "--tab-count=8", "--headless")
	assert.Equal(t, 8, s.Swarm.TabCount)
	assert.False(t, s.Swarm.Headed)
	assert.True(t, serveSettings(t, "--no-headless").Swarm.Headed)
}

func TestBrowserArgIsRepeatable(t *testing.T) {
	clearEnv(t)
	s := serveSettings(t, "--browser-arg=--mute-audio", "--browser-arg=--lang=de")
	assert.Equal(t, []string{"--mute-audio", "--lang=de"}, s.Swarm.BrowserArgs)
}

func TestBrowserFlagsSurviveTheWayToAChild(t *testing.T) {
	clearEnv(t)
	given := []string{"--no-headless", "--browser=/x y", "--browser-arg=--a --b=c d", "--user-agent=U", "--viewport=9x8", "--proxy=p:1", "--ignore-https-errors"}
	c, err := parseServe(t, given...)
	require.NoError(t, err)
	// Variables must not win over what the parent was told.
	t.Setenv("HEADLESS", "true")
	t.Setenv("SWARM_IGNORE_HTTPS_ERRORS", "false")
	again, err := parseServe(t, c.browserFlags.args()...)
	require.NoError(t, err)
	assert.Equal(t, c.browserFlags, again.browserFlags)
}

func TestBadCommandLinesAreOneClearLineAndExitCode2(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		env  [2]string
		want string
	}{
		"no number":         {args: []string{"--tab-count=x"}, want: "--tab-count"},
		"no tabs":           {args: []string{"--tab-count=0"}, want: "--tab-count: 0 is not from 1 to 512"},
		"too many tabs":     {args: []string{"--tab-count=513"}, want: "--tab-count: 513"},
		"unknown isolation": {args: []string{"--isolation=none"}, want: `--isolation must be one of "context","shared"`},
		"no time":           {args: []string{"--lease-timeout=soon"}, want: `--lease-timeout: "soon" is not a time`},
		"no time left":      {args: []string{"--action-timeout=0"}, want: "--action-timeout: must be more than 0"},
		"time below zero":   {args: []string{"--idle-timeout=-5s"}, want: "--idle-timeout: \"-5s\" is negative"},
		"endless time":      {args: []string{"--idle-timeout=9223372036854775807"}, want: "too long"},
		"no size":           {args: []string{"--viewport=big"}, want: `--viewport: "big" is not a size`},
		"three sides":       {args: []string{"--viewport=1x2x3"}, want: "is not a size"},
		"huge size":         {args: []string{"--viewport=1x20000"}, want: "1 to 10000"},
		"no argument":       {args: []string{"--browser-arg=https://x"}, want: "does not begin with --"},
		"no equals sign":    {args: []string{"--browser-arg", "--mute-audio"}, want: `perhaps try --browser-arg="--mute-audio"`},
		"no chars":          {args: []string{"--max-chars=0"}, want: "--max-chars: must be at least 1"},
		"unknown form":      {args: []string{"--screenshot-as=gif"}, want: "--screenshot-as"},
		"unknown level":     {args: []string{"--log-level=loud"}, want: "--log-level"},
		"log to a dir":      {args: []string{"--log-file=/"}, want: "--log-file"},
		"unknown flag":      {args: []string{"--tabs=3"}, want: "--tabs"},
		"unknown command":   {args: []string{"run"}, want: "run"},
		"bad variable":      {env: [2]string{"TAB_COUNT", "many"}, want: `TAB_COUNT="many"`},
		"bad bool":          {env: [2]string{"HEADLESS", "maybe"}, want: `HEADLESS="maybe"`},
		"no address":        {args: []string{"demo", "example.com"}, want: `"example.com" is not an http or https address`},
		"negative pages":    {args: []string{"demo", "--pages=-1"}, want: "cannot be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			if test.env[0] != "" {
				t.Setenv(test.env[0], test.env[1])
			}
			var out, errs bytes.Buffer
			code := run(t.Context(), test.args, process{in: strings.NewReader(""), out: &out, err: &errs})
			assert.Equal(t, exitUsage, code)
			assert.Contains(t, errs.String(), test.want)
			assert.Equal(t, 1, strings.Count(errs.String(), "\n"), errs.String())
			assert.Empty(t, out.String())
		})
	}
}

func TestHelp(t *testing.T) {
	clearEnv(t)
	t.Setenv("COLUMNS", "100")
	var out bytes.Buffer
	for _, args := range []string{"--help", "serve --help", "doctor --help", "install --help", "demo --help", "version --help"} {
		out.WriteString("$ swarm-mcp " + args + "\n")
		require.Equal(t, exitOK, run(t.Context(), strings.Fields(args), process{out: &out, err: t.Output()}))
		out.WriteString("\n")
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "go test ./cmd/swarm-mcp -run TestHelp -update rewrites it")
}

func TestLogGoesToItsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(name, []byte("before\n"), 0o600))
	var stderr bytes.Buffer
	logger, closeLog, err := logFlags{LogLevel: "warn", LogFile: name}.open(&stderr)
	require.NoError(t, err)
	logger.Info("quiet")
	logger.Warn("loud")
	require.NoError(t, closeLog())
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(got), "before\n"))
	assert.Contains(t, string(got), "loud")
	assert.NotContains(t, string(got), "quiet")
	assert.Empty(t, stderr.String())
	assert.False(t, logger.Enabled(context.Background(), slog.LevelInfo))
}

func TestVersion(t *testing.T) {
	for args, want := range map[string]string{"version": "swarm-mcp ", "version --json": `"version": "`} {
		var out bytes.Buffer
		require.Equal(t, exitOK, run(t.Context(), strings.Fields(args), process{out: &out, err: t.Output()}))
		assert.Contains(t, out.String(), want)
		assert.Contains(t, out.String(), readVersion().Go)
	}
	assert.Equal(t, "swarm-mcp v1.2.3 commit abc (modified) go1.26 linux/amd64",
		version{Version: "v1.2.3", Commit: "abc", Modified: true, Go: "go1.26", Platform: "linux/amd64"}.String())
}

// The library's Config must not grow a field that no flag sets, unnoticed.
func TestEveryFieldOfConfigHasAFlag(t *testing.T) {
	without := map[string]string{
		"StartTimeout": "the default suits a server, which answers meanwhile",
		"Logger":       "--log-level and --log-file",
	}
	set := swarm.Config{}
	for _, test := range flagTests {
		s := settings{}
		test.want(&s)
		from, to := reflect.ValueOf(s.Swarm), reflect.ValueOf(&set).Elem()
		for i := range from.NumField() {
			if !from.Field(i).IsZero() {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	fields := reflect.ValueOf(set)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		_, excused := without[name]
		assert.NotEqual(t, fields.Field(i).IsZero(), !excused, "Config.%s", name)
	}
}
