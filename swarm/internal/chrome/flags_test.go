package chrome

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	shell := Found{HeadlessShell: true, Product: HeadlessShell}
	roomy := Environment{GOOS: "linux", DevShm: minDevShm}
	tests := []struct {
		name string
		opts Options
		env  Environment
		want []string // flags that must be there
		not  []string // names that must not
		why  []string // flags that have a note
	}{
		{name: "headless shell", opts: Options{Browser: shell}, env: roomy,
			want: []string{"--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-timer-throttling"},
			not:  []string{"--no-sandbox", "--disable-dev-shm-usage", "--enable-automation", "--window-size", "--proxy-server", "--user-agent", "--ignore-certificate-errors"}},
		{name: "full browser", env: roomy, want: []string{"--headless=new"}},
		{name: "headed", opts: Options{Headed: true}, env: roomy, not: []string{"--headless", "--disable-gpu", "--hide-scrollbars", "--enable-automation"}},
		{name: "root", env: Environment{GOOS: "linux", Root: true, DevShm: minDevShm}, want: []string{"--no-sandbox"}, why: []string{"--no-sandbox"}},
		{name: "no namespaces", env: Environment{GOOS: "linux", NoSandbox: "refused", DevShm: minDevShm}, want: []string{"--no-sandbox"}, why: []string{"--no-sandbox"}},
		{name: "small shm", env: Environment{GOOS: "linux", DevShm: 64 << 20}, want: []string{"--disable-dev-shm-usage"}, why: []string{"--disable-dev-shm-usage"}, not: []string{"--no-sandbox"}},
		{name: "root elsewhere", env: Environment{GOOS: "darwin", Root: true}, not: []string{"--no-sandbox", "--disable-dev-shm-usage"}},
		{name: "Edge", opts: Options{Browser: Found{Product: Edge}}, env: roomy, want: []string{"--edge-skip-compat-layer-relaunch"}},
		{name: "options", env: roomy,
			opts: Options{WindowWidth: 1280, WindowHeight: 720, Proxy: "socks5://h:1", UserAgent: "A b", IgnoreHTTPSErrors: true},
			want: []string{"--window-size=1280,720", "--proxy-server=socks5://h:1", "--user-agent=A b", "--ignore-certificate-errors"}},
		{name: "the user's argument stands", env: roomy,
			opts: Options{Browser: shell, Args: []string{"--headless=old", "--lang=lt", "--mute-audio=0", "about:blank"}},
			want: []string{"--headless=old", "--lang=lt", "--mute-audio=0", "about:blank"}},
		{name: "a window size wins", opts: Options{WindowWidth: 1, WindowHeight: 2, Args: []string{"--window-size=3,4"}}, env: roomy, want: []string{"--window-size=3,4"}},
		{name: "refused", env: roomy, opts: Options{Args: []string{"--user-data-dir=/home/u", "--remote-debugging-port=9222"}},
			not: []string{"--user-data-dir", "--remote-debugging-port"}, why: []string{"--user-data-dir=/home/u", "--remote-debugging-port=9222"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			flags, notes := Flags(tt.opts, tt.env)
			names := make([]string, len(flags))
			for i, f := range flags {
				names[i], _, _ = strings.Cut(f, "=")
			}
			for _, want := range tt.want {
				assert.Contains(t, flags, want)
			}
			for _, not := range tt.not {
				assert.NotContains(t, names, not)
			}
			var why []string
			for _, n := range notes {
				assert.NotEmpty(t, n.Reason)
				assert.Equal(t, !slices.Contains(flags, n.Flag), n.Refused)
				why = append(why, n.Flag)
			}
			assert.Equal(t, tt.why, why)
			slices.Sort(names)
			assert.Equal(t, slices.Compact(slices.Clone(names)), names, "no flag twice")
		})
	}
}

func TestFlagsJoinFeatures(t *testing.T) {
	flags, _ := Flags(Options{Args: []string{"--disable-features=Mine", "--enable-features=Translate,Other", "--enable-features=Third"}}, Environment{})
	at := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--disable-features=") })
	require.GreaterOrEqual(t, at, 0)
	disabled := strings.Split(strings.TrimPrefix(flags[at], "--disable-features="), ",")
	assert.Contains(t, disabled, "Mine")
	assert.Contains(t, disabled, "MediaRouter")
	assert.NotContains(t, disabled, "Translate", "the user enabled it")
	assert.Contains(t, flags, "--enable-features=Translate,Other,Third")
}
