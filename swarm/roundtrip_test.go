package swarm_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// recorder keeps the commands that were sent.
type recorder struct {
	mu      sync.Mutex
	methods []string
}

func (r *recorder) add(_ target.SessionID, method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.methods = append(r.methods, method)
}

// take returns the commands since it was called last, in their order, repeats folded.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var parts []string
	for i := 0; i < len(r.methods); {
		n := i
		for n < len(r.methods) && r.methods[n] == r.methods[i] {
			n++
		}
		part := r.methods[i]
		if n-i > 1 {
			part += fmt.Sprintf(" ×%d", n-i)
		}
		parts = append(parts, part)
		i = n
	}
	r.methods = nil
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// TestCommandsOfEachOperation compares the protocol commands of each operation
// with testdata/roundtrips.txt: a chattier version fails like any other bug.
// Commands written together cost one round trip; those marked as sent behind
// the caller's back cost none.
func TestCommandsOfEachOperation(t *testing.T) {
	var sent recorder
	c := config()
	c.TabCount = 1
	m, err := swarm.New(c)
	require.NoError(t, err)
	m.OnSend(sent.add)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	whole(t, m)
	ctx := within(t, 60*time.Second)

	var got strings.Builder
	note := func(name string, operation func() error) {
		t.Helper()
		sent.take()
		require.NoError(t, operation(), name)
		fmt.Fprintf(&got, "%s: %s\n", name, sent.take())
	}
	must := func(_ any, err error) error { return err }
	var tab *swarm.Tab
	note("lease of a warm tab", func() error { tab, err = m.Lease(ctx, nil); return err })
	note("goto", func() error { return must(tab.Goto(ctx, site.URL+"/t/form", nil)) })
	note("goto, in the document", func() error { return must(tab.Goto(ctx, site.URL+"/t/form#x", nil)) })
	note("evaluate, expression", func() error { return must(tab.Evaluate(ctx, "({a: [1, 2]})")) })
	note("evaluate, statements", func() error { return must(tab.Evaluate(ctx, "let a = 1; a")) })
	note("evaluate, statements with an object", func() error { return must(tab.Evaluate(ctx, "let b = {}; b")) })
	note("text", func() error { return must(tab.Locator("body").Text(ctx)) })
	note("count", func() error { return must(tab.Locator("input").Count(ctx)) })
	note("wait for", func() error { return tab.Locator("body").WaitFor(ctx, nil) })
	note("click", func() error { return must(tab.Locator("textarea").Click(ctx, nil)) })
	note("double click", func() error { return must(tab.Locator("textarea").Click(ctx, &swarm.ClickOptions{ClickCount: 2})) })
	note("type, two characters", func() error { return must(tab.Locator("textarea").Type(ctx, "ab", nil)) })
	note("type, replacing, with Enter", func() error {
		return must(tab.Locator("textarea").Type(ctx, "你好", &swarm.TypeOptions{Clear: true, Submit: true}))
	})
	note("content", func() error { return must(tab.Content(ctx, nil)) })
	note("screenshot", func() error { return must(tab.Screenshot(ctx, nil)) })
	note("screenshot of an element", func() error { return must(tab.Screenshot(ctx, &swarm.ScreenshotOptions{Selector: "textarea"})) })
	note("status", func() error { m.Status(); return nil })
	sent.take()
	tab.Release()
	whole(t, m)
	replaced := strings.Split(sent.take(), ", ")
	slices.Sort(replaced) // The old tab goes while the new one comes.
	fmt.Fprintf(&got, "release and the next warm tab, in any order: %s\n", strings.Join(replaced, ", "))

	const golden = "testdata/roundtrips.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "if the change is meant, go test ./swarm -run TestCommandsOfEachOperation -update")
}

func TestANavigationToABigPageReceivesLittle(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.TabCount = 1 })
	whole(t, m)
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	before := tab.Received()
	_, err = tab.Goto(t.Context(), site.URL+"/t/big?nodes=5000", nil)
	require.NoError(t, err)
	received := tab.Received() - before
	t.Logf("%d bytes received", received)
	assert.Less(t, received, int64(50_000))
}
