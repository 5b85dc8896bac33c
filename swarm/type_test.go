package swarm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// typed types into an element and returns what became of it.
func typed(t *testing.T, tab *swarm.Tab, selector, text string, opts *swarm.TypeOptions) *swarm.TypeResult {
	t.Helper()
	result, err := tab.Locator(selector).Type(t.Context(), text, opts)
	require.NoError(t, err, "%s %q", selector, text)
	return result
}

// TestTypeEveryCharacterOnBoth is B06.
func TestTypeEveryCharacterOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/typing")
	for _, text := range []string{
		"abc", "ąčiū", "你好", "👨‍👩‍👧 é", "𝒳", "\u3000x", "e\u0301", "ABC xyz ~!@#$%^&*()_+{}|:\"<>?", "مرحبا", "\u00a0\u2028x", "a", "\u200b\ufeff", "<b>&amp;</b>", "\ue000\uf8ff",
	} {
		for _, selector := range []string{"#a", "#t"} {
			if strings.Contains(text, "\u2028") && selector == "#t" {
				continue
			}
			result := typed(t, tab, selector, text, &swarm.TypeOptions{Clear: true})
			assert.Equal(t, text, result.Value, selector)
			assert.True(t, result.AsAsked, text)
			assert.Equal(t, fmt.Sprint(true), eval(t, tab, fmt.Sprintf("document.querySelector(%q).value === %q", selector, text)))
		}
	}
	assert.NotContains(t, eval(t, tab, "window.events"), "false", "all events are the browser's own")
}

func TestTypeAppendsOrReplaces(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/existing")
	for _, c := range []struct {
		selector, text string
		clear          bool
		want           string
	}{
		{"#i", "er", false, "older"}, {"#i", "new", true, "new"}, {"#i", "", false, "new"}, {"#i", "", true, ""}, {"#i", "x", false, "x"},
		{"#t", " 2", false, "line 2"}, {"#t", "\nthree", false, "line 2\nthree"}, {"#t", "all\nnew", true, "all\nnew"}, {"#t", "\n", true, "\n"},
		{"#clears", "x", false, "x"}, {"#clears", "y", false, "y"}, {"#selects", "er", false, "older"}, {"#selects", "new", true, "new"},
	} {
		if c.selector == "#clears" {
			eval(t, tab, "document.activeElement.blur()")
		}
		result := typed(t, tab, c.selector, c.text, &swarm.TypeOptions{Clear: c.clear})
		assert.Equal(t, c.want, result.Value, "%+v", c)
		assert.True(t, result.AsAsked, "%+v", c)
	}
}

// TestTypeIsHeardOfByAFramework is B22.
func TestTypeIsHeardOfByAFramework(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"by keys": "abc", "as an input method": "你好", "as pasted": strings.Repeat("long ", 300)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := visit(t, "/t/react-like")
			typed(t, tab, "#i", text, nil)
			assert.Equal(t, "true", eval(t, tab, fmt.Sprintf("window.state === %q && !s.disabled", text)))
			typed(t, tab, "#i", "", &swarm.TypeOptions{Clear: true})
			assert.Equal(t, `["",true]`, eval(t, tab, "[window.state, s.disabled]"))
			assert.Contains(t, eval(t, tab, "events"), `"beforeinput","input"`)
			typed(t, tab, "#i", "x", nil)
			eval(t, tab, "i.blur()")
			assert.Contains(t, eval(t, tab, "events"), `"change"`)
		})
	}
}

// TestEnterAndLineBreaks is B62.
func TestEnterAndLineBreaks(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/enter")
	submits := 0
	for _, c := range []struct {
		text string
		opts *swarm.TypeOptions
		want string
	}{
		{"q\n", nil, "q"}, {"r\r\n", nil, "qr"}, {"s", &swarm.TypeOptions{Submit: true}, "qrs"}, {"t", &swarm.TypeOptions{Submit: true, Clear: true}, "t"},
	} {
		result := typed(t, tab, "#i", c.text, c.opts)
		submits++
		assert.Equal(t, c.want, result.Value)
		assert.True(t, result.AsAsked)
		assert.Equal(t, fmt.Sprint(submits), eval(t, tab, "window.s"), "%q submits once", c.text)
	}
	for text, want := range map[string]string{"l1\nl2": "l1\nl2", "l1\r\nl2": "l1\nl2", "l1\rl2": "l1\nl2", "a\tb": "a\tb", "\n\n": "\n\n", "end\n": "end\n"} {
		result := typed(t, tab, "#t", text, &swarm.TypeOptions{Clear: true})
		assert.Equal(t, want, result.Value)
		assert.True(t, result.AsAsked, "%q", text)
	}
	typed(t, tab, "#t", "x", &swarm.TypeOptions{Submit: true, Clear: true})
	assert.Equal(t, `"x\n"`, eval(t, tab, "document.querySelector('#t').value"), "Enter in a text area is a line break")
}

func TestSubmitThatLeavesThePage(t *testing.T) {
	t.Parallel()
	tab := show(t, `<form action="/t/b"><input id=i name=q></form>`)
	result := typed(t, tab, "#i", "word", &swarm.TypeOptions{Submit: true})
	assert.Equal(t, swarm.TypeResult{Value: "word", AsAsked: true}, *result)
	require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
	_, err := tab.Goto(t.Context(), site.URL+"/t/blank", nil)
	require.NoError(t, err)
	eval(t, tab, `document.body.innerHTML = '<form action="/t/b"><input id=i name=q></form>'`)
	result = typed(t, tab, "#i", "word\n", nil)
	assert.True(t, result.AsAsked, "the page is gone, as it was to be")
	require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
}

// TestWhatThePageMadeOfTheTextIsToldOnBoth is B64.
func TestWhatThePageMadeOfTheTextIsToldOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/limits")
	for _, c := range []struct{ selector, text, want string }{
		{"#m", "abcdefgh", "abcde"}, {"#k", "123456", "123-456"}, {"#n", "12abc", "12"},
	} {
		result := typed(t, tab, c.selector, c.text, &swarm.TypeOptions{Clear: true})
		assert.Equal(t, swarm.TypeResult{Value: c.want}, *result, c.selector)
	}
	result := typed(t, tab, "#n", "-1.5", &swarm.TypeOptions{Clear: true})
	assert.Equal(t, swarm.TypeResult{Value: "-1.5", AsAsked: true}, *result)
	result = typed(t, tab, "#n", "7", &swarm.TypeOptions{Clear: true})
	assert.Equal(t, "7", result.Value)
	typed(t, tab, "#n", "--", &swarm.TypeOptions{Clear: true}) // No number, so value is "" with text in the field.
	typed(t, tab, "#n", "", &swarm.TypeOptions{Clear: true})
	assert.Equal(t, "8", typed(t, tab, "#n", "8", nil).Value, "what was no number is cleared too")
}

func TestTypeIntoEveryKindOfField(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/form")
	for _, c := range []struct{ selector, text, want string }{
		{"#text", "a", "a"}, {"#search", "a b", "a b"}, {"#email", "a@b.c", "a@b.c"}, {"#url", "http://a/", "http://a/"}, {"#tel", "+1 2", "+1 2"}, {"#password", "s3cret ü", "s3cret ü"},
		{"#number", "42", "42"}, {"#textarea", "two\nlines", "two\nlines"}, {"label=wrapped", "w", "w"}, {"label=by ARIA", "l", "l"}, {"text=wrapped", "!", "w!"}, {"text=email", "x", "a@b.cx"},
		{"#range", "7", "7"}, {"#date", "2026-12-31", "2026-12-31"}, {"#time", "13:45", "13:45"}, {"#datetime-local", "2026-12-31T13:45", "2026-12-31T13:45"},
		{"#datetime-local", "2026-12-31 13:46", "2026-12-31T13:46"}, {"#month", "2026-12", "2026-12"}, {"#week", "2026-W52", "2026-W52"}, {"#color", "#ff8800", "#ff8800"}, {"#color", "#FF0000", "#ff0000"}, {"#date", "", ""},
	} {
		result := typed(t, tab, c.selector, c.text, nil)
		assert.Equal(t, swarm.TypeResult{Value: c.want, AsAsked: true}, *result, "%+v", c)
	}
	eval(t, tab, "window.seen = []; for (const type of ['input', 'change']) document.querySelector('#date').addEventListener(type, e => seen.push(e.type + e.target.value))")
	typed(t, tab, "#date", "2027-01-02", nil)
	assert.Equal(t, `["input2027-01-02","change2027-01-02"]`, eval(t, tab, "window.seen"))
}

func TestTypeThatCannotBeDoneSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, page, selector, reason, says string }{
		{"readonly", "/t/readonly", "#r", "readonly", "enables"},
		{"a readonly text area", "/t/readonly", "#t", "readonly", "enables"},
		{"disabled", "/t/readonly", "#d", "disabled", "enables"},
		{"not editable", "/t/readonly", "#e", "not-editable", "only text fields"},
		{"hidden", `<input id=i style="display:none">`, "#i", "hidden", "display:none"},
		{"inert", `<div inert><input id=i></div>`, "#i", "disabled", "enables"},
		{"a button", "/t/form", "#button", "not-editable", "only text fields"},
		{"a box to tick", "/t/form", "#checkbox", "not-editable", "input type=checkbox"},
		{"a file", "/t/form", "#file", "not-editable", "input type=file"},
		{"a select", "/t/form", "#select", "not-editable", "select"},
		{"a date that is none", "/t/form", "#date", "refused", "2026-12-31"},
		{"a number out of range", "/t/form", "#range", "refused", "range"},
		{"a colour that is none", "/t/form", "#color", "refused", "#ff8800"},
		{"a field that gives the focus away", `<input id=i onfocus="j.focus()"><input id=j>`, "#i", "not-focusable", "input#j"},
		{"a field that drops the focus", `<body onkeydown="window.wrong=1"><input id=i onfocus="this.blur()">`, "#i", "not-focusable", "focus"},
		{"an SVG element", `<svg width=50 height=50><rect id=i width=50 height=50></rect></svg>`, "#i", "not-editable", "rect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, c.page)
			_, err := tab.Locator(c.selector).Type(within(t, 1500*time.Millisecond), "99x", nil)
			e := fails(t, err, swarm.ElementNotInteractable)
			assert.Equal(t, c.reason, e.Reason, e.Message)
			assert.Equal(t, "type", e.Op)
			assert.Contains(t, e.Message, c.selector)
			assert.Contains(t, e.Message, c.says)
			assert.NotContains(t, e.Message, "99x", "typed text stays out of messages")
		})
	}
}

func TestTypeIntoEditableElements(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/editable")
	for _, c := range []struct {
		selector, text string
		clear          bool
		want           string
	}{
		{"#plain", "er", false, "older"}, {"#plain", "new 你好", true, "new 你好"}, {"#plain", "one\ntwo", true, "one\ntwo"}, {"#plain", "", true, ""}, {"#only", "a\nb", false, "a\nb"}, {"#own", "ab\nc", false, "ab\nc"},
	} {
		result := typed(t, tab, c.selector, c.text, &swarm.TypeOptions{Clear: c.clear})
		assert.Equal(t, c.want, strings.TrimRight(strings.ReplaceAll(result.Value, "\n\n", "\n"), "\n"), "%+v", c)
	}
	assert.Equal(t, `"ab\nc"`, eval(t, tab, "model"))

	eval(t, tab, "document.body.innerHTML = '<div contenteditable><p id=p>part</p><p>other</p></div>'")
	typed(t, tab, "#p", "ly", nil)
	assert.Equal(t, `"partly"`, eval(t, tab, "p.innerText"))
	typed(t, tab, "#p", "all", &swarm.TypeOptions{Clear: true})
	assert.Equal(t, `"all"`, eval(t, tab, "document.querySelector('div').firstElementChild.innerText"))
	assert.Contains(t, eval(t, tab, "document.querySelector('div').innerText"), "other")
	eval(t, tab, "document.body.innerHTML = 'old'; document.designMode = 'on'; null")
	typed(t, tab, "body", "er", nil)
	assert.Equal(t, `"older"`, eval(t, tab, "document.body.innerText.trim()"))
}

func TestTypeInShadowRoots(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/shadow-content")
	assert.Equal(t, "deep", typed(t, tab, "x-a >>> x-b >>> #i", "deep", nil).Value)
	assert.Equal(t, "deeper", typed(t, tab, ">>> input", "er", nil).Value)
}

func TestTypeMuch(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/typing")
	long := strings.Repeat("0123456789", 30_000)
	result := typed(t, tab, "#t", long, nil)
	assert.True(t, result.AsAsked)
	assert.Len(t, result.Value, 300_000)
	lines := strings.Repeat("a line of text\n", 300)
	result = typed(t, tab, "#t", lines, &swarm.TypeOptions{Clear: true})
	assert.Equal(t, lines, result.Value)
}

func TestAFieldThatIsReplacedWhileItIsTypedInto(t *testing.T) {
	t.Parallel()
	tab := show(t, `<div id=d><input id=i></div><script>d.oninput = () => { d.innerHTML = '<input id=i>' }</script>`)
	_, err := tab.Locator("#i").Type(t.Context(), "abc", nil)
	e := fails(t, err, swarm.ElementNotInteractable)
	assert.Equal(t, "detached", e.Reason)
	assert.Contains(t, e.Message, "input#i")
}

func TestTypingWaitsForTheField(t *testing.T) {
	t.Parallel()
	tab := show(t, `<div id=d></div><script>setTimeout(() => { d.innerHTML = '<input id=i disabled>'; setTimeout(() => { i.disabled = false }, 150) }, 150)</script>`)
	assert.Equal(t, "late", typed(t, tab, "#i", "late", nil).Value)
}
