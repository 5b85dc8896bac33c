package swarm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// fails asserts that the error is of the type and has a message, without words
// from below, and returns it.
func fails(t *testing.T, err error, kind swarm.ErrorType) *swarm.Error {
	t.Helper()
	var e *swarm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Type, e.Message)
	assert.NotEmpty(t, e.Op)
	assert.NotEmpty(t, e.Message)
	for _, raw := range []string{"context deadline", "context canceled", "-32000"} {
		assert.NotContains(t, e.Message, raw)
	}
	return e
}

// open shows a page of the test site, if what is given is a path, or one made of the HTML.
func open(t *testing.T, page string) *swarm.Tab {
	t.Helper()
	if strings.HasPrefix(page, "/") {
		return visit(t, page)
	}
	return show(t, page)
}

func TestClickLandsOnBoth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, page, selector, look, want string }{
		{"a button", `<button id=b onclick="window.hit=1">b</button>`, "#b", "window.hit", "1"},
		{"a link that is wrapped over two lines", `<div style="width:120px;font:20px monospace" onclick="window.wrong=event.target===this?1:window.wrong">some words <a href="#x" onclick="window.hit=1">and a link</a></div>`, "a", "[window.hit,window.wrong]", "[1,null]"},
		{"at the end of a pane", "/t/scroll", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"far down the page", "/t/scroll", "#far", "[window.far,window.wrong]", "[1,null]"},
		{"in a pane that scrolls smoothly", "/t/scroll/smooth", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"down a page that scrolls smoothly", "/t/scroll/smooth", "#far", "[window.far,window.wrong]", "[1,null]"},
		{"under a cover that goes", "/t/covered/removed?ms=300", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"under a cover that lets the mouse through", "/t/covered/pointer-events", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"display:contents", "/t/odd-boxes", "#c", "location.hash", `"#c"`},
		{"a circle", "/t/odd-boxes", "#o", "window.svg", "1"},
		{"opacity 0", "/t/odd-boxes", "#op", "window.op", "1"},
		{"an area of an image map", "/t/odd-boxes", "#area", "location.hash", `"#area"`},
		{"visible in an invisible parent", "/t/hidden", "#back", "window.hit", `"back"`},
		{"late, and later enabled", "/t/late?ms=200", "#b", "window.hit", "1"},
		{"moved by a CSS animation", "/t/moving/css", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"moved by script in every frame", "/t/moving/forever", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"moved by script once", "/t/moving/once?ms=0", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"a zoomed page", "/t/zoom", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"a page zoomed twice", "/t/zoom?root=0.8", "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"beside a slot, two shadow roots deep", "/t/shadow-button", "x-a >>> x-b >>> #b", "window.hit", "1"},
		{"slotted", "/t/shadow-button", "#light", "window.light", "1"},
		{"by text", "/t/selectors", "text=Click me", "location.href.endsWith('#')", "true"},
		{"the first that is visible", `<button style="display:none" onclick="window.wrong=1">b</button><button onclick="window.hit=1">b</button>`, "button", "[window.hit,window.wrong]", "[1,null]"},
		{"a box to tick behind its label", `<label style="position:relative;display:inline-block"><input id=c type=checkbox><span style="position:absolute;inset:0;background:#ccc"></span></label>`, "#c", "c.checked", "true"},
		{"a label", `<label for=c>tick</label><p><input id=c type=checkbox>`, "label", "c.checked", "true"},
		{"an element in a button", `<button onclick="window.hit=1"><b>bold</b></button>`, "b", "window.hit", "1"},
		{"half out of the viewport", `<div style="position:fixed;left:-50px;top:10px;width:80px;height:30px" id=b onclick="window.hit=1">b</div>`, "#b", "window.hit", "1"},
		{"partly covered", `<div id=b style="position:fixed;left:0;top:0;width:100px;height:100px" onclick="window.hit=1"></div><div style="position:fixed;left:20px;top:20px;width:300px;height:300px;background:red" onclick="window.wrong=1"></div>`, "#b", "[window.hit,window.wrong]", "[1,null]"},
		{"transformed", `<div style="transform:rotate(40deg) scale(1.4);margin:200px;width:200px"><button id=b onclick="window.hit=1">b</button></div>`, "#b", "window.hit", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, c.page)
			result, err := tab.Locator(c.selector).Click(t.Context(), nil)
			require.NoError(t, err)
			assert.Empty(t, result.Opened)
			assert.Empty(t, result.Dialogs)
			assert.JSONEq(t, c.want, eval(t, tab, c.look))
		})
	}
}

func TestClickUnderAStickyHeader(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/sticky-header")
	eval(t, tab, "scrollTo(0, 1e6)")
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, tab, "window.hit"))
}

func TestClickThatCannotLandSaysWhyAndClicksNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, page, selector, reason, by, next string }{
		{"covered", "/t/covered", "#b", "covered", "div#ov", "force"},
		{"covered by a shadow root", "/t/covered/shadow", "#b", "covered", "", "force"},
		{"covered in a shadow root", "/t/shadow-button?covered=1", "x-a >>> x-b >>> #b", "covered", "div#ov", "force"},
		{"zero size", "/t/odd-boxes", "#z", "zero-size", "", "visible"},
		{"display:none", "/t/hidden", "#display", "hidden", "", "visible"},
		{"visibility:hidden", "/t/hidden", "#visibility", "hidden", "", "visible"},
		{"in a parent with display:none", "/t/hidden", "#parent", "hidden", "", "visible"},
		{"in closed details", "/t/hidden", "#details", "hidden", "", "visible"},
		{"outside of the page", "/t/hidden", "#outside", "outside", "", "try again"},
		{"disabled", "/t/disabled", "#b", "disabled", "", "enables"},
		{"in a disabled fieldset", "/t/disabled", "#f", "disabled", "", "enables"},
		{"disabled by ARIA", "/t/disabled", "#a", "disabled", "", "enables"},
		{"in a disabled button", `<button disabled onclick="window.wrong=1"><b id=b>b</b></button>`, "#b", "disabled", "", "enables"},
		{"inert", `<div inert onclick="window.wrong=1"><button id=b onclick="window.wrong=1">b</button></div>`, "#b", "disabled", "", "enables"},
		{"behind a modal dialog", `<button id=b onclick="window.wrong=1">b</button><dialog id=d onclick="window.wrong=1">d</dialog><script>d.showModal()</script>`, "#b", "covered", "dialog#d", "force"},
		{"covered by an element with no name", `<button id=b>b</button><svg class="a b" onclick="window.wrong=1" style="position:fixed;inset:0;width:100%;height:100%;pointer-events:all"></svg>`, "#b", "covered", "svg.a.b", "force"},
		{"covered by a form that has a field named id", `<button id=b>b</button><form id=ov onclick="window.wrong=1" style="position:fixed;inset:0"><input name=id style="display:none"></form>`, "#b", "covered", "form#ov", "force"},
		{"without pointer events", `<button id=b style="pointer-events:none">b</button>`, "#b", "covered", "", "force"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, c.page)
			_, err := tab.Locator(c.selector).Click(within(t, 1500*time.Millisecond), nil)
			e := fails(t, err, swarm.ElementNotInteractable)
			assert.Equal(t, c.reason, e.Reason, e.Message)
			if c.by != "" {
				assert.Equal(t, c.by, e.CoveredBy)
			}
			assert.Equal(t, c.selector, e.Selector)
			assert.Contains(t, e.Message, c.selector)
			assert.Contains(t, e.Message, c.next)
			assert.Contains(t, e.Message, "1 match")
			assert.NotEmpty(t, e.Log)
			assert.Equal(t, "click", e.Op)
			assert.Equal(t, "[null,null]", eval(t, tab, "[window.hit,window.wrong]"), "nothing was clicked")
		})
	}
}

func TestForceClicksWhatIsCoveredOrDisabled(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/covered")
	_, err := tab.Locator("#b").Click(t.Context(), &swarm.ClickOptions{Force: true})
	require.NoError(t, err)
	assert.Equal(t, "[null,1]", eval(t, tab, "[window.hit,window.wrong]"))

	tab = visit(t, "/t/disabled")
	_, err = tab.Locator("#a").Click(t.Context(), &swarm.ClickOptions{Force: true})
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, tab, "window.aria"))

	_, err = tab.Locator("#nope").Click(within(t, 1500*time.Millisecond), &swarm.ClickOptions{Force: true})
	fails(t, err, swarm.SelectorNotFound)
}

// overlay puts a full cover in the way when the event comes.
func overlay(event string) string {
	return `<style>#ov{position:fixed;inset:0;background:#0004}</style><button id=b onclick="window.hit=(window.hit||0)+1">b</button><script>
const events = ['pointerdown','mousedown','pointerup','mouseup','click','auxclick','dblclick','contextmenu'];
addEventListener('` + event + `', () => {
  if (window.covered) return;
  window.covered = 1;
  const ov = document.createElement('div');
  ov.id = 'ov';
  for (const type of events) ov.addEventListener(type, () => { window.wrong = type });
  document.body.append(ov);
  setTimeout(() => ov.remove(), 300);
}, true)</script>`
}

func TestAPressThatWouldMissIsSwallowedOnBoth(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"mousemove", "pointermove", "mouseover"} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			tab := show(t, overlay(event))
			_, err := tab.Locator("#b").Click(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, "[1,1,null]", eval(t, tab, "[window.covered,window.hit,window.wrong]"))
		})
	}
}

func TestACoverThatComesWithThePressIsThePagesOwn(t *testing.T) {
	t.Parallel()
	// The press has landed on the button: what the page makes of it is its business, and it is not done twice.
	tab := show(t, overlay("pointerdown"))
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "[1,null]", eval(t, tab, "[window.covered,window.hit??null]"))
}

func TestACoverThatFleesFromNoPressIsNamed(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="window.hit=1">b</button><script>
addEventListener('mousemove', () => {
  const ov = document.createElement('div');
  ov.id = 'ov';
  ov.style = 'position:fixed;inset:0';
  ov.onclick = ov.onmousedown = () => { window.wrong = 1 };
  document.body.append(ov);
  setTimeout(() => ov.remove(), 50);
}, true)</script>`)
	_, err := tab.Locator("#b").Click(within(t, 1500*time.Millisecond), nil)
	e := fails(t, err, swarm.ElementNotInteractable)
	assert.Equal(t, []string{"covered", "div#ov"}, []string{e.Reason, e.CoveredBy})
	assert.Equal(t, "[null,null]", eval(t, tab, "[window.hit,window.wrong]"))
}

func TestTheSecondPressOfADoubleClickIsNotDoneElsewhere(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="window.hit=(window.hit||0)+1; if (!window.ov) {
  window.ov = document.createElement('div'); ov.style = 'position:fixed;inset:0'; ov.onclick = () => { window.wrong = 1 }; document.body.append(ov) }">b</button>`)
	_, err := tab.Locator("#b").Click(within(t, 3*time.Second), &swarm.ClickOptions{ClickCount: 2})
	e := fails(t, err, swarm.ElementNotInteractable)
	assert.Equal(t, "covered", e.Reason)
	assert.Contains(t, e.Message, "first")
	assert.Equal(t, "[1,null]", eval(t, tab, "[window.hit,window.wrong]"))
}

func TestButtonsCountsAndModifiersOnBoth(t *testing.T) {
	t.Parallel()
	const page = `<button id=b>b</button><script>window.got = [];
for (const type of ['click','auxclick','dblclick','contextmenu']) b.addEventListener(type, e => { e.preventDefault(); got.push([type, e.button, e.detail, e.ctrlKey, e.shiftKey, e.altKey, e.metaKey, e.isTrusted].join()) })</script>`
	for _, c := range []struct {
		name string
		opts swarm.ClickOptions
		want string
	}{
		{"left", swarm.ClickOptions{}, `["click,0,1,false,false,false,false,true"]`},
		{"double", swarm.ClickOptions{ClickCount: 2}, `["click,0,1,false,false,false,false,true","click,0,2,false,false,false,false,true","dblclick,0,2,false,false,false,false,true"]`},
		{"right", swarm.ClickOptions{Button: swarm.Right}, `["contextmenu,2,0,false,false,false,false,true","auxclick,2,1,false,false,false,false,true"]`},
		{"middle", swarm.ClickOptions{Button: swarm.Middle}, `["auxclick,1,1,false,false,false,false,true"]`},
		{"with modifiers", swarm.ClickOptions{Modifiers: []swarm.Modifier{swarm.Control, swarm.Shift}}, `["click,0,1,true,true,false,false,true"]`},
		{"with other modifiers", swarm.ClickOptions{Modifiers: []swarm.Modifier{swarm.Alt, swarm.Meta}}, `["click,0,1,false,false,true,true,true"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := show(t, page)
			_, err := tab.Locator("#b").Click(t.Context(), &c.opts)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, eval(t, tab, "window.got"))
		})
	}
	t.Run("what there is not", func(t *testing.T) {
		tab := show(t, page)
		for _, bad := range []swarm.ClickOptions{{Button: "thumb"}, {ClickCount: 4}, {ClickCount: -1}, {Modifiers: []swarm.Modifier{"Hyper"}}} {
			_, err := tab.Locator("#b").Click(t.Context(), &bad)
			fails(t, err, swarm.InvalidArgument)
		}
	})
}

func TestNothingMatchesUntilTheTimeIsUp(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	for name, use := range map[string]func(context.Context, swarm.Locator) error{
		"click": func(ctx context.Context, l swarm.Locator) error { _, err := l.Click(ctx, nil); return err },
		"type":  func(ctx context.Context, l swarm.Locator) error { _, err := l.Type(ctx, "x", nil); return err },
		"text":  func(ctx context.Context, l swarm.Locator) error { _, err := l.Text(ctx); return err },
		"content": func(ctx context.Context, l swarm.Locator) error {
			_, err := tab.Content(ctx, &swarm.ContentOptions{Selector: l.String()})
			return err
		},
		"screenshot": func(ctx context.Context, l swarm.Locator) error {
			_, err := tab.Screenshot(ctx, &swarm.ScreenshotOptions{Selector: l.String()})
			return err
		},
	} {
		e := fails(t, use(within(t, 1500*time.Millisecond), tab.Locator("#nope")), swarm.SelectorNotFound)
		assert.Equal(t, name, e.Op)
		assert.Equal(t, "#nope", e.Selector)
		assert.Contains(t, e.Message, "#nope")
		assert.Contains(t, e.Message, "look at its content")
		assert.NotEmpty(t, e.URL)

		for _, bad := range []string{"div[", "#1st", "", "p:no-such-class", "xpath=//[", "text=", "role=button[nope]", "a >>> ", "text=/(/"} {
			began := time.Now()
			if bad == "" && (name == "content" || name == "screenshot") {
				continue // No selector is the whole page to them.
			}
			e := fails(t, use(t.Context(), tab.Locator(bad)), swarm.InvalidSelector)
			assert.Less(t, time.Since(began), 2*time.Second, "at once, not after a timeout")
			assert.Contains(t, e.Message, strings.TrimSpace(bad), name)
		}
	}
}

func TestACancelledClickSaysSo(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/covered")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := tab.Locator("#b").Click(ctx, nil)
	fails(t, err, swarm.Cancelled)
	assert.Equal(t, "[null,null]", eval(t, tab, "[window.hit,window.wrong]"))
}

func TestClickReturnsOnceThePageHasHandledIt(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="const end = performance.now() + 600; while (performance.now() < end); window.hit = (window.hit||0)+1">b</button>`)
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, tab, "window.hit"), "a busy page is clicked once")
}

func TestAClickOnAPageThatWasOpenedAnew(t *testing.T) {
	t.Parallel()
	// document.open takes every listener from the window, the guard's too.
	tab := visit(t, "/t/blank")
	_, err := tab.Evaluate(t.Context(), `document.open(); document.write('<button id=b onclick="window.hit=(window.hit||0)+1">b</button>'); document.close()`)
	require.NoError(t, err)
	for want := range 3 {
		_, err := tab.Locator("#b").Click(t.Context(), nil)
		require.NoError(t, err)
		assert.JSONEq(t, string(rune('1'+want)), eval(t, tab, "window.hit"), "each click is one")
	}
}

func TestAClickThatRemovesItsElementOrLeavesThePage(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="window.hit=(window.hit||0)+1;this.remove()">b</button><button onclick="window.wrong=1">c</button>`)
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "[1,null]", eval(t, tab, "[window.hit,window.wrong]"))

	tab = visit(t, "/t/a")
	_, err = tab.Locator("#go").Click(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
}
