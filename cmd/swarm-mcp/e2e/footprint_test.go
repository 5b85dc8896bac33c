package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// resident is the server's own memory in MB, without its browser's.
func (s *server) resident() float64 {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	require.NoError(s.t, err)
	_, rest, ok := strings.Cut(string(status), "VmRSS:")
	require.True(s.t, ok)
	var kilobytes float64
	_, err = fmt.Sscan(rest, &kilobytes)
	require.NoError(s.t, err)
	return kilobytes / 1024
}

func TestTheServerIsSmallWithFiveTabs(t *testing.T) {
	s := ready(t, "--tab-count=5")
	var tabs []string
	for range 5 {
		tabs = append(tabs, s.open("/t/big?nodes=5000"))
	}
	for _, tab := range tabs {
		s.ok("get_content", args{"tabId": tab})
		s.eval(tab, "document.title")
	}
	t.Logf("%.1f MB resident", s.resident())
	assert.Less(t, s.resident(), 40.0)
}

// BenchmarkToolsList is the time from the start of the process to the answer to
// tools/list, which must not wait for a browser; its floor is the start of the
// same binary for `version`, which does nothing.
func BenchmarkToolsList(b *testing.B) {
	t := &testing.T{}
	var answers, floors []time.Duration
	for b.Loop() {
		began := time.Now()
		s := &server{t: t, temp: b.TempDir()}
		require.NoError(b, s.launch("--browser=/bin/false"))
		s.initialize()
		require.Nil(b, s.request("tools/list", nil).Error)
		answers = append(answers, time.Since(began))
		_ = s.stdin.Close()
		<-s.exited

		began = time.Now()
		runIn(t, b.TempDir(), "version")
		floors = append(floors, time.Since(began))
	}
	slices.Sort(answers)
	slices.Sort(floors)
	median := func(d []time.Duration) float64 { return float64(d[len(d)/2].Microseconds()) / 1e3 }
	b.ReportMetric(median(answers), "ms/start")
	b.ReportMetric(median(floors), "floor-ms")
	b.ReportMetric(median(answers)/median(floors), "x-floor")
	b.ReportMetric(0, "ns/op")
}
