package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// healthy is a machine on which all is well.
func healthy() *swarm.Diagnosis {
	return &swarm.Diagnosis{
		Browser: "/usr/bin/shell", Product: "headless-shell", Version: "156.0", HeadlessShell: true,
		Looked: []string{"/usr/bin/shell"}, Sandbox: "on", DevShmBytes: 1 << 30, Fonts: true, Display: true, StartTime: 345 * time.Millisecond,
	}
}

func TestDoctorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*swarm.Diagnosis)
		check   string
		verdict verdict
		next    string
	}{
		"no browser": {func(d *swarm.Diagnosis) {
			*d = swarm.Diagnosis{FindErr: errors.New("none"), DevShmBytes: -1, Fonts: true, Display: true}
		},
			"browser", fail, "swarm-mcp install"},
		"does not start": {func(d *swarm.Diagnosis) { d.StartErr = errors.New("libnss3.so: cannot open") }, "start", fail, "--browser"},
		"no sandbox":     {func(d *swarm.Diagnosis) { d.Sandbox = "off: running as root" }, "sandbox", warn, "ordinary user"},
		"little shared memory": {func(d *swarm.Diagnosis) { d.DevShmBytes = 64 << 20 },
			"shared memory", warn, "--shm-size"},
		"little shared memory, not used": {func(d *swarm.Diagnosis) { d.DevShmBytes = 64 << 20; d.Flags = []string{"--disable-dev-shm-usage"} },
			"shared memory", good, ""},
		"no fonts":       {func(d *swarm.Diagnosis) { d.Fonts = false }, "fonts", warn, "fonts-liberation"},
		"no display":     {func(d *swarm.Diagnosis) { d.Display = false }, "display", fail, "xvfb-run"},
		"nothing to say": {func(d *swarm.Diagnosis) { d.DevShmBytes = -1 }, "shared memory", good, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := healthy()
			test.change(d)
			r := examine(d, true, check{Name: "temporary files", Verdict: good})
			assert.Equal(t, test.verdict != fail, r.OK)
			found := false
			for _, c := range r.Checks {
				if c.Name != test.check {
					assert.NotEqual(t, fail, c.Verdict, c.Name)
					continue
				}
				found = true
				assert.Equal(t, test.verdict, c.Verdict)
				assert.Contains(t, c.Next, test.next)
				assert.Equal(t, test.verdict == good, c.Next == "", "a next step for each problem, and only for one")
			}
			assert.True(t, found)
		})
	}
}

func TestDoctorPrintsTheReport(t *testing.T) {
	d := healthy()
	d.StartErr = errors.New("it ended at once\nlibnss3.so: cannot open")
	d.Flags = []string{"--headless"}
	var out bytes.Buffer
	require.NoError(t, examine(d, false, check{"temporary files", good, "/tmp", ""}).print(&out))
	assert.Equal(t, `ok    browser          /usr/bin/shell (headless-shell 156.0)
fail  start            it ended at once
                       libnss3.so: cannot open
                       -> if a library is missing, install it or take the distribution's package (swarm-mcp install --from=packages); else try another browser with --browser
ok    sandbox          on
ok    shared memory    1.0 GiB in /dev/shm
ok    fonts            found
ok    temporary files  /tmp

looked for
  /usr/bin/shell

started with
  --headless
`, out.String())
}

func TestDoctorChecksTheTemporaryDirectory(t *testing.T) {
	dir := t.TempDir()
	assert.Equal(t, good, checkTemp(dir).Verdict)
	rest, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, rest)
	assert.Equal(t, fail, checkTemp(filepath.Join(dir, "none")).Verdict)
}
