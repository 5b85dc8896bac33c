package swarm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// frameWith waits for the frame whose address or name has the text.
func frameWith(t *testing.T, tab *swarm.Tab, text string) *swarm.Frame {
	t.Helper()
	var found *swarm.Frame
	require.Eventually(t, func() bool {
		for _, f := range tab.Frames() {
			if f.Parent() != nil && (strings.Contains(f.URL(), text) || f.Name() == text) {
				found = f
				return true
			}
		}
		return false
	}, 10*time.Second, 10*time.Millisecond, "a frame with %q", text)
	return found
}

func evalIn(t *testing.T, f *swarm.Frame, script string) string {
	t.Helper()
	value, err := f.Evaluate(t.Context(), script)
	require.NoError(t, err, script)
	return string(value)
}

// drive does everything in a frame of /t/inner.
func drive(t *testing.T, f *swarm.Frame, name string) {
	t.Helper()
	text, err := f.Locator("#p").Text(t.Context())
	require.NoError(t, err)
	assert.Equal(t, name, text)
	_, err = f.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	result, err := f.Locator("#i").Type(t.Context(), "ąč 1", nil)
	require.NoError(t, err)
	assert.Equal(t, swarm.TypeResult{Value: "ąč 1", AsAsked: true}, *result)
	require.NoError(t, f.Locator("text="+name).WaitFor(t.Context(), &swarm.WaitForOptions{State: swarm.Visible}))
	assert.JSONEq(t, `[1,"ąč 1","`+name+`"]`, evalIn(t, f, "[window.hit, document.querySelector('#i').value, document.title]"))
}

// TestCrossSiteFrameOnBoth is B08, in the browser's own way of hosting frames
// and with a process for each site.
func TestCrossSiteFrameOnBoth(t *testing.T) {
	t.Parallel()
	isolated := newManager(t, func(c *swarm.Config) { c.TabCount, c.BrowserArgs = 1, []string{"--site-per-process"} })
	for name, m := range map[string]*swarm.BrowserManager{"as the browser likes": manager, "in a process of its own": isolated} {
		t.Run(name, func(t *testing.T) {
			tab, err := m.Lease(t.Context(), nil)
			require.NoError(t, err)
			defer tab.Release()

			_, err = tab.Goto(t.Context(), site.URL+"/t/frame-cross-site", nil)
			require.NoError(t, err)
			f := frameWith(t, tab, "inner-button")
			assert.Equal(t, tab.MainFrame().ID(), f.Parent().ID())
			assert.Contains(t, f.URL(), site.OtherURL)
			_, err = f.Locator("#b").Click(t.Context(), nil)
			require.NoError(t, err)
			_, err = f.Locator("#i").Type(t.Context(), "x", nil)
			require.NoError(t, err)
			assert.Equal(t, `"x"`, evalIn(t, f, "i.value"))
			assert.Equal(t, `"hit"`, eval(t, tab, "window.got"))
			same, err := tab.Frame(f.ID())
			require.NoError(t, err)
			assert.Equal(t, `"inner-button"`, evalIn(t, same, "document.title"))
			_, err = f.Evaluate(t.Context(), "null.x")
			fails(t, err, swarm.ScriptError)
			_, err = f.Evaluate(within(t, time.Second), "for (;;);")
			fails(t, err, swarm.TimeoutError)
			assert.Equal(t, "1", evalIn(t, f, "1"))

			_, err = tab.Goto(t.Context(), site.URL+"/t/frames", nil)
			require.NoError(t, err)
			for _, name := range []string{"same", "cross", "deep", "transformed", "shadowed"} {
				drive(t, frameWith(t, tab, "/t/inner?name="+name), name)
			}
			drive(t, frameWith(t, tab, "about:srcdoc"), "srcdoc")
			assert.Equal(t, "frames", text(t, tab.Locator("#p")))
			deep := frameWith(t, tab, "name=deep")
			assert.Contains(t, deep.Parent().URL(), "/t/frames/nested")
			require.Equal(t, tab.MainFrame().ID(), deep.Parent().Parent().ID())
		})
	}
}

func text(t *testing.T, l swarm.Locator) string {
	t.Helper()
	text, err := l.Text(t.Context())
	require.NoError(t, err)
	return text
}

// TestEveryOperationSeesItsFrame is B44.
func TestEveryOperationSeesItsFrame(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/frame-same-site")
	f := frameWith(t, tab, "/t/inner")
	assert.Equal(t, `"inner"`, evalIn(t, f, "document.title"))
	assert.Equal(t, "inner", text(t, f.Locator("#p")))
	assert.Equal(t, "outer", text(t, tab.Locator("#p")))
	for selector, want := range map[string]int{"p": 1, "text=inner": 1, "text=outer": 0, "#f": 0} {
		n, err := f.Locator(selector).Count(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, n, selector)
	}
	_, err := f.Locator("#nope").Click(within(t, time.Second), nil)
	e := fails(t, err, swarm.SelectorNotFound)
	assert.Equal(t, f.ID(), e.FrameID)
	assert.Contains(t, e.Message, "in the frame")

	_, err = tab.Locator("#remove").Click(t.Context(), nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(tab.Frames()) == 1 }, 5*time.Second, 10*time.Millisecond)
	for name, use := range map[string]func() error{
		"evaluate": func() error { _, err := f.Evaluate(t.Context(), "1"); return err },
		"text":     func() error { _, err := f.Locator("p").Text(t.Context()); return err },
		"click":    func() error { _, err := f.Locator("p").Click(t.Context(), nil); return err },
		"type":     func() error { _, err := f.Locator("p").Type(t.Context(), "", nil); return err },
		"count":    func() error { _, err := f.Locator("p").Count(t.Context()); return err },
		"wait":     func() error { return f.Locator("p").WaitFor(t.Context(), nil) },
		"frame":    func() error { _, err := tab.Frame(f.ID()); return err },
	} {
		e := fails(t, use(), swarm.FrameNotFound)
		assert.Equal(t, f.ID(), e.FrameID, name)
		assert.Contains(t, e.Message, "find the frame anew")
	}
	assert.Empty(t, f.URL())
	assert.Nil(t, f.Parent())
	assert.Equal(t, "outer", text(t, tab.Locator("#p")))
}

// TestFramesThatComeAndGo is B45.
func TestFramesThatComeAndGo(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	_, err := tab.Goto(t.Context(), site.URL+"/t/frames-late", &swarm.GotoOptions{WaitUntil: swarm.WaitDOMContentLoaded})
	require.NoError(t, err)
	require.NoError(t, frameWith(t, tab, "about:srcdoc").Locator("text=srcdoc").WaitFor(within(t, 4*time.Second), nil))
	removed := frameWith(t, tab, "name=removed")
	gone := make(chan error, 1)
	go func() { gone <- removed.Locator("#never").WaitFor(t.Context(), nil) }()
	require.NoError(t, frameWith(t, tab, "name=second").Locator("text=second").WaitFor(within(t, 4*time.Second), nil))
	require.NoError(t, frameWith(t, tab, "slow").Locator("text=slow").WaitFor(within(t, 6*time.Second), nil))

	began := time.Now()
	_, err = tab.Locator("#go").Click(t.Context(), nil)
	require.NoError(t, err)
	fails(t, <-gone, swarm.FrameNotFound)
	assert.Less(t, time.Since(began), 3*time.Second, "at once")

	var written *swarm.Frame
	for _, f := range tab.Frames() {
		if f.URL() == "about:blank" || strings.HasSuffix(f.URL(), "/t/frames-late") && f.Parent() != nil {
			written = f
		}
	}
	require.NotNil(t, written)
	assert.Equal(t, "written", text(t, written.Locator("#p")))
}

func TestASandboxedFrameIsReadAndItsScriptsDoNotHang(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/frames")
	f := frameWith(t, tab, "name=sandbox")
	assert.Equal(t, "sandbox", text(t, f.Locator("#p")))
	result, err := f.Locator("#i").Type(within(t, 5*time.Second), "x", nil)
	require.NoError(t, err)
	assert.Equal(t, "x", result.Value)
	_, err = f.Locator("#b").Click(within(t, 5*time.Second), nil)
	require.NoError(t, err)
	value, err := f.Evaluate(within(t, 5*time.Second), "1 + 1")
	if err == nil {
		assert.Equal(t, "2", string(value))
	} else {
		fails(t, err, swarm.ScriptError)
	}
}

func TestAFrameKeepsItsIDThroughItsNavigations(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/frame-same-site")
	f := frameWith(t, tab, "/t/inner")
	for _, next := range []string{site.URL + "/t/inner?name=two", site.OtherURL + "/t/inner?name=three", site.URL + "/t/inner?name=four"} {
		eval(t, tab, "document.querySelector('#f').src = '"+next+"'")
		name := next[strings.LastIndexByte(next, '=')+1:]
		require.NoError(t, f.Locator("text="+name).WaitFor(within(t, 5*time.Second), nil))
		drive(t, f, name)
	}
}

func TestAClickInACoveredFrameWaitsAndSaysWhy(t *testing.T) {
	t.Parallel()
	const page = `<iframe src="/t/inner?name=in" style="width:300px;height:150px"></iframe><div id=ov onclick="window.wrong=1" onmousedown="window.wrong=1" style="position:fixed;inset:0"></div>`
	tab := show(t, page)
	f := frameWith(t, tab, "/t/inner")
	require.NoError(t, f.Locator("#b").WaitFor(t.Context(), nil))
	_, err := f.Locator("#b").Click(within(t, time.Second), nil)
	e := fails(t, err, swarm.ElementNotInteractable)
	assert.Equal(t, []string{"covered", "div#ov", f.ID()}, []string{e.Reason, e.CoveredBy, e.FrameID})
	assert.Contains(t, e.Message, "#b")
	assert.Contains(t, e.Message, "force")

	eval(t, tab, "setTimeout(() => ov.remove(), 300)")
	_, err = f.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", evalIn(t, f, "window.hit"))
	assert.Equal(t, "null", eval(t, tab, "window.wrong"))
}

func TestAPressThatWouldMissAFrameIsSwallowed(t *testing.T) {
	t.Parallel()
	// The cover comes when the mouse comes over the frame, and goes a moment later.
	tab := show(t, `<iframe id=f src="/t/inner?name=in" style="width:300px;height:150px"></iframe><script>
f.onmouseenter = () => {
  if (window.covered) return;
  window.covered = 1;
  const ov = document.createElement('div');
  ov.id = 'ov';
  ov.style = 'position:fixed;inset:0';
  for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) ov.addEventListener(type, () => { window.wrong = type });
  document.body.append(ov);
  setTimeout(() => ov.remove(), 300);
}</script>`)
	f := frameWith(t, tab, "/t/inner")
	_, err := f.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", evalIn(t, f, "window.hit"))
	assert.Equal(t, "[1,null]", eval(t, tab, "[window.covered,window.wrong]"))
	eval(t, tab, "document.body.innerHTML = '<button id=c onclick=\"window.after=1\">c</button>'")
	_, err = tab.Locator("#c").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, tab, "window.after"), "the guard around the frame is gone")
}

func TestTransformedAndScrolledFrames(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]string{
		"rotated":           "transform:rotate(30deg)",
		"upside down":       "transform:rotate(180deg)",
		"scaled":            "transform:scale(.5)",
		"skewed":            "transform:skewX(20deg)",
		"by properties":     "rotate:45deg;scale:.7 .9;translate:50px 30px",
		"zoomed":            "zoom:1.5",
		"padded":            "padding:20px;border:9px solid",
		"far down the page": "margin-top:3000px;border:3px solid",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := show(t, `<div style="padding:120px" onclick="window.wrong=1"><iframe src="/t/frames/nested" style="width:400px;height:300px;`+style+`"></iframe></div>`)
			nested := frameWith(t, tab, "/t/frames/nested")
			require.NoError(t, nested.Locator("#deep").WaitFor(t.Context(), nil))
			evalIn(t, nested, `document.body.innerHTML = '<div style="height:500px"></div><button id=small style="width:14px;height:10px;padding:0;margin-left:200px" onclick="window.hit=1"></button>'`)
			_, err := nested.Locator("#small").Click(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, "1", evalIn(t, nested, "window.hit"))
			assert.Equal(t, "null", eval(t, tab, "window.wrong"))
		})
	}
}
