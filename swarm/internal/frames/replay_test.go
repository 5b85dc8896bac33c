package frames

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// line is one line of a recorded log: an event, the reply to a command whose order matters, or the name of a moment at which the tab was quiet.
// The logs are of Chromium 156: of headless-shell with --site-per-process, bfcache-restored of full Chromium. Ids are numbered by first appearance
// (S sessions, F frames, L loaders, C contexts), F1 being the main frame and S1 the tab's session.
type line struct {
	Session target.SessionID `json:"session"`
	Method  string           `json:"method"`
	Params  jsonv2.Value     `json:"params"`
	Reply   string           `json:"reply"`
	Result  jsonv2.Value     `json:"result"`
	Moment  string           `json:"moment"`
}

func readLog(t testing.TB, file string) []line {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var log []line
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		var l line
		require.NoError(t, jsonv2.Unmarshal(sc.Bytes(), &l))
		if l.Method != "" && l.Params == nil {
			l.Params = jsonv2.Value("{}")
		}
		log = append(log, l)
	}
	return log
}

func logFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// play feeds one line to r.
func play(t testing.TB, r *Registry, l line) {
	t.Helper()
	switch {
	case l.Method != "":
		r.Apply(l.Session, l.Method, l.Params)
	case l.Reply == page.CommandGetFrameTree:
		var res page.GetFrameTreeResult
		require.NoError(t, jsonv2.Unmarshal(l.Result, &res))
		r.Seed(l.Session, res.FrameTree)
	}
}

func newTab() *Registry {
	r := New("swarm")
	r.Attach("S1", "F1")
	return r
}

// upTo replays a recorded log until the moment of that name.
func upTo(t testing.TB, name, moment string) *Registry {
	t.Helper()
	r := newTab()
	for _, l := range readLog(t, filepath.Join("testdata", name+".jsonl")) {
		play(t, r, l)
		if l.Moment == moment {
			return r
		}
	}
	require.Fail(t, "no such moment", "%s in %s", moment, name)
	return nil
}

// The golden files hold the whole state at every quiet moment of every log.
func TestReplay(t *testing.T) {
	for _, file := range logFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			r := newTab()
			var got strings.Builder
			for i, l := range readLog(t, file) {
				play(t, r, l)
				checkInvariants(t, r, fmt.Sprintf("%s line %d", file, i+1))
				if l.Moment != "" {
					fmt.Fprintf(&got, "# %s\n%s", l.Moment, describe(r.Frames()))
				}
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "write it with: go test ./swarm/internal/frames -update")
			assert.Equal(t, string(want), got.String())
		})
	}
}

func describe(frames []Frame) string {
	var b strings.Builder
	depth := map[cdp.FrameID]int{"": -1}
	for _, f := range frames {
		depth[f.ID] = depth[f.Parent] + 1
		fmt.Fprintf(&b, "%s%s %s %s %s n=%d", strings.Repeat("  ", depth[f.ID]), f.ID, f.Session, f.Loader, f.URL, f.Navigations)
		for _, s := range []struct {
			name string
			on   bool
		}{{"same-document", f.SameDocument}, {"requested", f.Requested}, {"started", f.Started}, {"loading", f.Loading}} {
			if s.on {
				b.WriteString(" " + s.name)
			}
		}
		for _, s := range []struct{ name, value string }{
			{"name", f.Name}, {"pending", string(f.Pending)}, {"unreachable", f.UnreachableURL}, {"main", f.MainContext}, {"world", f.WorldContext},
		} {
			if s.value != "" {
				b.WriteString(" " + s.name + "=" + s.value)
			}
		}
		for _, m := range []Mark{Init, Commit, DOMContentLoaded, Load, NetworkAlmostIdle, NetworkIdle} {
			if f.Marks.Has(m) {
				b.WriteString(" " + string(m))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// checkInvariants holds a registry to what must be so after any events in any order.
func checkInvariants(t testing.TB, r *Registry, at string) {
	t.Helper()
	frames := r.Frames()
	seen := make(map[cdp.FrameID]bool)
	for i, f := range frames {
		require.False(t, seen[f.ID], "%s: %s is listed twice", at, f.ID)
		seen[f.ID] = true
		require.Equal(t, i == 0, f.Parent == "", "%s: the first frame and no other is the main frame: %s", at, f.ID)
		if i > 0 {
			require.True(t, seen[f.Parent], "%s: the parent of %s comes before it", at, f.ID)
		}
		require.Contains(t, r.sessions, f.Session, "%s: %s is hosted by a session that is attached", at, f.ID)
		require.False(t, f.Pending != "" && !f.Started, "%s: %s waits for a document of no navigation", at, f.ID)
		one, ok := r.Frame(f.ID)
		require.True(t, ok && one == f, "%s: Frame(%s) is what Frames lists", at, f.ID)
	}
	main, ok := r.Main()
	require.Equal(t, len(frames) > 0, ok, at)
	require.True(t, !ok || main == frames[0], at)
	require.Len(t, r.nodes, len(frames), "%s: every frame is in the tree", at)
	require.LessOrEqual(t, len(r.strays), maxStrays, at)
	require.LessOrEqual(t, len(r.removed), maxRemoved, at)
	require.LessOrEqual(t, len(r.shelf), maxShelved, at)
	for _, n := range r.nodes {
		require.LessOrEqual(t, len(n.early), maxEarly, at)
	}
}
