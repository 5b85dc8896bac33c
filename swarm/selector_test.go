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

// garden has one of everything that selectors are about.
const garden = `<title>garden</title>
<h1 id=h1>Garden</h1>
<h2 id=h2>Beds <small>and paths</small></h2>
<nav aria-label=Main><a id=home href="#home">Home</a> <a id=noref>No link</a></nav>
<button id=save>  Save
  all </button>
<button id=save2 aria-label="Save">S</button>
<input id=send type=submit value="Send it">
<button id=off disabled>Off</button>
<button id=on aria-pressed=true>On</button>
<div id=menu role=button aria-expanded=true>Menu</div>
<p><label for=email>E-mail</label><input id=email type=email></p>
<p><label>Name <input id=name></label></p>
<input id=search type=search aria-label="Search the garden">
<span id=l1>Joined</span> <span id=l2>labels</span><input id=joined aria-labelledby="l1 l2">
<input id=box type=checkbox aria-label=Box checked>
<input id=box2 type=checkbox aria-label=Other>
<select id=pick aria-label=Pick><option selected>One<option>Two</select>
<img id=img alt="A rose" src="data:,">
<img id=decor alt="" src="data:,">
<table><tr><th>Plant<td id=cell>Fern</table>
<ul><li id=li1>one<li id=li2>two</ul>
<div id=hidden style="display:none"><button id=secret>Secret</button></div>
<div aria-hidden=true><button id=aria>Silent</button></div>
<script>var scripted = 'Scripted words'</script>
<p id=quote>She said "no" &amp; left</p>
<form id=form><input name=id><input name=labels><input name=children><input name=title><span>Inside</span></form>
<x-card id=c1><span slot=s id=slotted>Slotted</span><i id=loose>Loose</i></x-card>
<x-card id=c2></x-card>
<script>
for (const host of document.querySelectorAll('x-card')) {
  host.attachShadow({mode: 'open'}).innerHTML = '<p class=in>Card of ' + host.id + '</p><slot name=s>default</slot><x-deep></x-deep><label for=f>Field</label><input id=f>';
  const deep = host.shadowRoot.querySelector('x-deep');
  deep.attachShadow({mode: 'open'}).innerHTML = '<button class=go id=go-' + host.id + '>Go</button>';
}
</script>`

func TestSelectorsMatch(t *testing.T) {
	t.Parallel()
	tab := show(t, garden)
	for _, c := range []struct {
		selector string
		count    int
	}{
		{"button", 6}, {"h1, h2", 2}, {"li:nth-child(2)", 1}, {"#nope", 0}, {"x-card p", 0}, {"x-card i", 1}, {"body>h1", 1}, {"a[href]", 1},

		{"text=Garden", 1}, {"text=gardeN", 1}, {`text="Garden"`, 1}, {`text='garden'`, 0}, {"text=save all", 1}, {"text=/^Save/", 1}, {"text=/^save/i", 1},
		{"text=Send it", 1}, {"text=Beds and paths", 1}, {"text=Scripted", 0}, {`text=said "no" & left`, 1}, {"text=Secret", 1}, {"text=Card of", 2}, {"text=Slotted", 1},
		{"text=Loose", 0}, {"text=default", 1}, {"text=Go", 2}, {"text=Inside", 1},

		{"role=button", 8}, {`role=button[name="Save"]`, 1}, {`role=button[name="Save all"]`, 1}, {`role=button[name*="save"]`, 0}, {`role=button[name*="save" i]`, 2},
		{"role=button[name=/^s/i]", 3}, {"role=button[disabled]", 1}, {"role=button[pressed]", 1}, {"role=button[expanded]", 1}, {"role=heading", 2}, {"role=heading[level=2]", 1},
		{"role=link", 1}, {"role=navigation", 1}, {"role=checkbox", 2}, {"role=checkbox[checked]", 1}, {"role=checkbox[checked=false]", 1}, {"role=option[selected]", 1},
		{"role=img", 1}, {`role=img[name="A rose"]`, 1}, {"role=cell", 1}, {"role=columnheader", 1}, {"role=listitem", 2}, {"role=searchbox", 1}, {"role=combobox", 1},
		{`role=textbox[name="Name"]`, 1}, {`role=textbox[name="Joined labels"]`, 1}, {`role=button[name="Secret"]`, 0}, {`role=button[name="Secret"][include-hidden]`, 1},
		{`role=button[name="Silent"]`, 0}, {`role=button[name="Silent"][include-hidden]`, 1}, {"role=banner", 0},

		{"label=E-mail", 1}, {"label=e-mail", 1}, {`label="Name"`, 1}, {"label=Search", 1}, {"label=Joined labels", 1}, {"label=Field", 2}, {"label=/^box$/i", 1},

		{"xpath=//li", 2}, {"xpath=//li[2]", 1}, {"//li", 2}, {"xpath=id('h1')", 1}, {"xpath=//button[contains(., 'Save')]", 1}, {"xpath=//nothing", 0},

		{"x-card >>> p", 2}, {"#c1 >>> p", 1}, {"#c1 >>> .go", 1}, {"#c1 >>>> .go", 0}, {"#c1 >>>> p", 1}, {"x-card >>>> x-deep >>>> button", 2}, {"x-card >>> x-deep >>> button", 2},
		{"body >>> .go", 2}, {">>> .go", 2}, {">>> p.in, h1", 3}, {"h1, x-card >>> p, #c2 >>> p", 3}, {"#c1 >>> span", 1}, {"#c1 >>> text=Go", 1}, {"#c2 >>> role=button", 1},
		{"#c2 >>> label=Field", 1}, {"#c1 >>> xpath=.//button", 0}, {"x-deep >>> button", 0}, {">>> x-deep >>> button", 2}, {"form >>> text=Inside", 1}, {"#c2 >>> slot", 1},
	} {
		t.Run(c.selector, func(t *testing.T) {
			n, err := tab.Locator(c.selector).Count(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.count, n)
		})
	}
}

func TestSelectorsPickTheFirstInDocumentOrderThatIsVisible(t *testing.T) {
	t.Parallel()
	tab := show(t, garden)
	for selector, want := range map[string]string{
		"h2, h1":               "Garden",
		"x-card >>> p":         "Card of c1",
		"#c2 >>> p, #c1 >>> p": "Card of c1",
		"li":                   "one",
		"#secret, #off":        "Off", // The first is hidden.
		"#secret":              "Secret",
		"label=Field":          "",
		"role=option":          "One",
		"#slotted":             "Slotted",
		"#pick":                "One",
		"#send":                "Send it",
		"x-card":               "Card of c1\n\nSlotted",
		"#c2":                  "Card of c2\n\ndefault",
		"#quote":               `She said "no" & left`,
		"#h2":                  "Beds and paths",
	} {
		text, err := tab.Locator(selector).Text(t.Context())
		require.NoError(t, err)
		if strings.Contains(want, "\n") {
			assert.Contains(t, text, want, selector)
			continue
		}
		assert.Equal(t, want, text, selector)
	}
}

// TestDefaultMatchingIsCSS is B61: a word is a tag, never a search.
func TestDefaultMatchingIsCSS(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/selectors")
	for _, selector := range []string{"a", "//a", "text=Click me"} {
		_, err := tab.Locator(selector).Click(t.Context(), nil)
		require.NoError(t, err, selector)
	}
	_, err := tab.Locator("#1st").Click(t.Context(), nil)
	fails(t, err, swarm.InvalidSelector)
	n, err := tab.Locator("#foot").Count(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	err = tab.Locator("Click").WaitFor(within(t, time.Second), nil)
	fails(t, err, swarm.TimeoutError)
}

func TestWaitForReachesEveryState(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	later := func(script string) {
		t.Helper()
		eval(t, tab, "setTimeout(() => {"+script+"}, 150); null")
	}
	wait := func(selector string, state swarm.State) {
		t.Helper()
		require.NoError(t, tab.Locator(selector).WaitFor(within(t, 5*time.Second), &swarm.WaitForOptions{State: state}), "%s %s", selector, state)
	}
	later(`const p = document.createElement('p'); p.id = 'p'; p.style.display = 'none'; p.textContent = 'words'; document.body.append(p)`)
	wait("#p", "")
	wait("#p", swarm.Hidden)
	later(`p.style.display = ''`)
	wait("text=words", swarm.Visible)
	later(`p.style.visibility = 'hidden'`)
	wait("#p", swarm.Hidden)
	later(`p.remove()`)
	wait("#p", swarm.Detached)
	wait("#p", swarm.Hidden)
	later(`location.href = '/t/b'`)
	wait("text=B", swarm.Visible) // In the document that came meanwhile.
	later(`location.href = '/t/a'`)
	wait("text=B", swarm.Detached)
}

func TestWaitForSaysWhatItSaw(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/hidden")
	for _, c := range []struct {
		selector string
		state    swarm.State
		says     []string
	}{
		{"#nope", swarm.Attached, []string{"#nope", "matched"}},
		{"#nope", swarm.Visible, []string{"#nope", "matched"}},
		{"#display", swarm.Visible, []string{"#display", "1 match", "display:none", "not visible"}},
		{"#parent", swarm.Visible, []string{"inside div", "display:none"}},
		{"#details", swarm.Visible, []string{"not visible"}},
		{"#show", swarm.Hidden, []string{"#show", "button#show", "not hidden"}},
		{"#show", swarm.Detached, []string{"#show", "not detached"}},
	} {
		began := time.Now()
		err := tab.Locator(c.selector).WaitFor(within(t, time.Second), &swarm.WaitForOptions{State: c.state})
		e := fails(t, err, swarm.TimeoutError)
		assert.True(t, e.Timeout())
		assert.Equal(t, "wait", e.Op)
		assert.Equal(t, c.selector, e.Selector)
		for _, says := range c.says {
			assert.Contains(t, e.Message, says)
		}
		took := time.Since(began)
		assert.True(t, took > 900*time.Millisecond && took < 5*time.Second, took)
	}
	fails(t, tab.Locator("p").WaitFor(t.Context(), &swarm.WaitForOptions{State: "there"}), swarm.InvalidArgument)
	fails(t, tab.Locator("p[").WaitFor(t.Context(), nil), swarm.InvalidSelector)
}

func TestACancelledWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	fails(t, tab.Locator("#nope").WaitFor(ctx, nil), swarm.Cancelled)
	assert.Less(t, time.Since(began), 2*time.Second)
}

// TestSelectorsUnderAStrictPolicy is B59: the engine evaluates no text in the page.
func TestSelectorsUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/t/csp", "/t/csp-self"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			tab := visit(t, path)
			text, err := tab.Locator("text=strict").Text(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "strict", text)
			_, err = tab.Locator("role=button").Click(t.Context(), nil)
			require.NoError(t, err)
			typed, err := tab.Locator("#i").Type(t.Context(), "ąč", nil)
			require.NoError(t, err)
			assert.Equal(t, "ąč", typed.Value)
			fails(t, tab.Locator("#nope").WaitFor(within(t, time.Second), nil), swarm.TimeoutError)
			assert.Equal(t, `{"a":[1,"2n"]}`, eval(t, tab, "({a: [1, 2n]})"))
			assert.Equal(t, "3", eval(t, tab, "let a = 3; a"))
			assert.Equal(t, "4", eval(t, tab, "const a = 4; return a"))
			_, err = tab.Evaluate(t.Context(), "let evaluated = eval('1'); evaluated")
			assert.Contains(t, fails(t, err, swarm.ScriptError).Message, "EvalError")
			_, err = tab.Content(t.Context(), &swarm.ContentOptions{Type: swarm.ContentMarkdown})
			require.NoError(t, err)
			_, err = tab.Screenshot(t.Context(), &swarm.ScreenshotOptions{Selector: "#p"})
			require.NoError(t, err)
		})
	}
}

// TestOddDocuments are those without what pages usually have.
func TestOddDocuments(t *testing.T) {
	t.Parallel()
	use := func(t *testing.T, tab *swarm.Tab) {
		t.Helper()
		for _, selector := range []string{"#x", "text=x", "role=button", "label=x", "xpath=//x", "x >>> y", ">>> z", "*"} {
			_, err := tab.Locator(selector).Count(t.Context())
			require.NoError(t, err, selector)
		}
		for _, kind := range []swarm.ContentType{swarm.ContentText, swarm.ContentHTML, swarm.ContentMarkdown} {
			_, err := tab.Content(t.Context(), &swarm.ContentOptions{Type: kind})
			require.NoError(t, err, kind)
		}
		for _, full := range []bool{false, true} {
			_, err := tab.Screenshot(t.Context(), &swarm.ScreenshotOptions{FullPage: full})
			require.NoError(t, err)
		}
		_, err := tab.Title(t.Context())
		require.NoError(t, err)
		fails(t, tab.Locator("#x").WaitFor(within(t, 300*time.Millisecond), nil), swarm.TimeoutError)
	}
	for _, path := range []string{"/t/svg", "/t/json", "/t/plain", "/t/img.png"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			use(t, visit(t, path))
		})
	}
	for name, script := range map[string]string{
		"no body":         "document.body.remove()",
		"no element":      "document.documentElement.remove()",
		"a frameset":      "document.body.replaceWith(document.createElement('frameset'))",
		"an SVG root":     "document.documentElement.replaceWith(document.createElementNS('http://www.w3.org/2000/svg', 'svg'))",
		"clobbered":       "document.body.innerHTML = '<form name=title></form><img name=body><form name=documentElement id=documentElement></form>'",
		"deep":            "let n = document.body; for (let i = 0; i < 1500; i++) n = n.appendChild(document.createElement('div'))",
		"detached prefab": "document.body.innerHTML = ''; const e = document.createElement('x-e'); e.attachShadow({mode: 'open'}).append(document.createComment('c')); document.body.append(e)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := visit(t, "/t/blank")
			eval(t, tab, script+"; null")
			use(t, tab)
		})
	}
}
