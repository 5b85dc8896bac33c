package swarm_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// againstFloor runs an operation and its floor, the least that raw commands of
// the same process need for it, by turns, and reports the ratio of the medians.
func againstFloor(b *testing.B, operation, floor func() error) {
	b.Helper()
	for range 20 { // Warm up both.
		require.NoError(b, operation())
		require.NoError(b, floor())
	}
	var ours, raw []time.Duration
	for b.Loop() {
		began := time.Now()
		require.NoError(b, operation())
		ours = append(ours, time.Since(began))
		began = time.Now()
		require.NoError(b, floor())
		raw = append(raw, time.Since(began))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2])
	}
	b.ReportMetric(median(ours)/median(raw), "x-floor")
	b.ReportMetric(median(raw)/1e3, "floor-µs")
	b.ReportMetric(0, "ns/op") // Both together: says nothing.
}

func benchTab(b *testing.B, path string) (*swarm.Tab, context.Context) {
	b.Helper()
	tab, err := manager.Lease(b.Context(), nil)
	require.NoError(b, err)
	b.Cleanup(tab.Release)
	_, err = tab.Goto(b.Context(), site.URL+path, nil)
	require.NoError(b, err)
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	b.Cleanup(cancel)
	return tab, ctx
}

// rawEvaluate is one Runtime.evaluate by value.
func rawEvaluate(ctx context.Context, s protocdp.Session, script string) error {
	yes := true
	_, err := protocdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ReturnByValue: &yes})
	return err
}

func BenchmarkEvaluate(b *testing.B) {
	tab, ctx := benchTab(b, "/t/form")
	const script = "({title: document.title, n: [1, 2, 3]})"
	againstFloor(b, func() error { _, err := tab.Evaluate(ctx, script); return err }, func() error { return rawEvaluate(ctx, tab.CDP(), script) })
}

func BenchmarkText(b *testing.B) {
	tab, ctx := benchTab(b, "/t/rows?n=100")
	l := tab.Locator("body")
	againstFloor(b, func() error { _, err := l.Text(ctx); return err }, func() error { return rawEvaluate(ctx, tab.CDP(), "document.querySelector('body').innerText") })
}

// BenchmarkClick has as its floor a look for the point and the three mouse
// events, written together.
func BenchmarkClick(b *testing.B) {
	tab, ctx := benchTab(b, "/t/form")
	l := tab.Locator("textarea")
	_, err := l.Click(ctx, nil)
	require.NoError(b, err)
	var box struct{ X, Y float64 }
	at, err := tab.Evaluate(ctx, "(() => { const r = document.querySelector('textarea').getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()")
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(at, &box))
	events := []input.DispatchMouseEventParams{
		{Type: "mouseMoved", X: box.X, Y: box.Y}, {Type: "mousePressed", X: box.X, Y: box.Y, Button: "left", Buttons: 1, ClickCount: 1},
		{Type: "mouseReleased", X: box.X, Y: box.Y, Button: "left", ClickCount: 1},
	}
	againstFloor(b, func() error { _, err := l.Click(ctx, nil); return err }, func() error {
		if err := rawEvaluate(ctx, tab.CDP(), "document.querySelector('textarea').getBoundingClientRect().toJSON()"); err != nil {
			return err
		}
		return tab.Pipeline(ctx, "Input.dispatchMouseEvent", events[0], events[1], events[2])
	})
}

// BenchmarkType has as its floor a focus, the key events written together, and
// a look at the value.
func BenchmarkType(b *testing.B) {
	tab, ctx := benchTab(b, "/t/form")
	l := tab.Locator("textarea")
	key := func(kind input.DispatchKeyEventType, text string) any {
		return input.DispatchKeyEventParams{Type: kind, Text: text, Key: "a", Code: "KeyA", WindowsVirtualKeyCode: 65}
	}
	againstFloor(b, func() error { _, err := l.Type(ctx, "aaa", &swarm.TypeOptions{Clear: true}); return err }, func() error {
		if err := rawEvaluate(ctx, tab.CDP(), "document.querySelector('textarea').select()"); err != nil {
			return err
		}
		err := tab.Pipeline(ctx, "Input.dispatchKeyEvent", key("keyDown", "a"), key("keyUp", ""), key("keyDown", "a"), key("keyUp", ""), key("keyDown", "a"), key("keyUp", ""))
		if err != nil {
			return err
		}
		return rawEvaluate(ctx, tab.CDP(), "document.querySelector('textarea').value")
	})
}

// BenchmarkLeaseWarm is a lease and release of a warm tab, which asks Chrome nothing.
func BenchmarkLeaseWarm(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		for manager.Status().Warm == 0 {
			time.Sleep(time.Millisecond)
		}
		b.StartTimer()
		tab, err := manager.Lease(b.Context(), nil)
		require.NoError(b, err)
		b.StopTimer()
		tab.Release()
		b.StartTimer()
	}
}
