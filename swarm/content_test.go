package swarm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func content(t *testing.T, tab *swarm.Tab, kind swarm.ContentType, selector string) string {
	t.Helper()
	text, err := tab.Content(t.Context(), &swarm.ContentOptions{Type: kind, Selector: selector})
	require.NoError(t, err, "%s of %q", kind, selector)
	return text
}

// TestContentIsWhatIsSeen is B55.
func TestContentIsWhatIsSeen(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/text-kinds")
	for _, kind := range []swarm.ContentType{"", swarm.ContentText, swarm.ContentMarkdown} {
		got := content(t, tab, kind, "")
		assert.Contains(t, got, "a")
		assert.Contains(t, got, "b")
		for _, unseen := range []string{"SCRIPT", "NOS", "TPL", "HID", ".h"} {
			assert.NotContains(t, got, unseen, kind)
		}
	}
	assert.Equal(t, "a\nb", strings.TrimSpace(text(t, tab.Locator("body"))))
	assert.Equal(t, "ta", text(t, tab.Locator("textarea")))
	assert.Equal(t, "iv", text(t, tab.Locator("input")))
	html := content(t, tab, swarm.ContentHTML, "")
	assert.True(t, strings.HasPrefix(html, "<!DOCTYPE html><html>"), html)
	for _, there := range []string{"SCRIPT", "NOS", "TPL", "HID"} {
		assert.Contains(t, html, there)
	}
}

func TestContentOfAnElement(t *testing.T) {
	t.Parallel()
	tab := show(t, `<article id=a><h1>Title</h1><p>Some <b>bold</b> words and <a href="/t/b">a link</a>.</p><ul><li>one<li>two</ul></article><p>outside</p>`)
	assert.Equal(t, "Title\n\nSome bold words and a link.\n\none\ntwo", content(t, tab, swarm.ContentText, "#a"))
	assert.True(t, strings.HasPrefix(content(t, tab, swarm.ContentHTML, "#a"), `<article id="a"><h1>Title</h1>`))
	md := content(t, tab, swarm.ContentMarkdown, "#a")
	for _, part := range []string{"# Title", "**bold**", "[a link](" + site.URL + "/t/b)", "- one", "- two"} {
		assert.Contains(t, md, part)
	}
	assert.NotContains(t, md, "outside")
	assert.Equal(t, "Title", content(t, tab, "", "text=Title"))
	_, err := tab.Content(t.Context(), &swarm.ContentOptions{Type: "pdf"})
	fails(t, err, swarm.InvalidArgument)
}

// TestContentOfShadowRoots is B42: in the order in which it is seen, each part once.
func TestContentOfShadowRoots(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/shadow-content")
	for name, got := range map[string]string{
		"the element": text(t, tab.Locator("x-a")), "the page": content(t, tab, "", ""), "markdown": content(t, tab, swarm.ContentMarkdown, ""),
	} {
		assert.Equal(t, 1, strings.Count(got, "light"), "%s: %q", name, got)
		assert.Less(t, strings.Index(got, "in"), strings.Index(got, "light"), "%s: %q", name, got)
		assert.NotContains(t, got, "secret", name)
	}
	assert.Equal(t, "in\nlight", text(t, tab.Locator("x-a")))

	eval(t, tab, `document.body.innerHTML = '<x-t><b slot=s>bold</b> loose <i slot=s>italic</i></x-t>';
document.querySelector('x-t').attachShadow({mode: 'open'}).innerHTML = '<style>p{color:red}</style><p>first</p><p style="display:none">hidden</p><p style="visibility:hidden">invisible <u style="visibility:visible">but this</u></p><pre>a  b\nc</pre><div id=holder><slot name=s></slot></div><slot name=t>fallback</slot><table><tr><td>1<td>2</table>'`)
	got := text(t, tab.Locator("x-t"))
	for _, part := range []string{"first\n\nbut this\n\na", "a  b\nc", "bolditalic", "fallback", "1\t2"} {
		assert.Contains(t, got, part)
	}
	for _, part := range []string{"color", "hidden", "invisible", "loose"} {
		assert.NotContains(t, got, part)
	}
	assert.Equal(t, "bolditalic", text(t, tab.Locator("x-t >>> #holder")), "what is slotted is inside")
	md := content(t, tab, swarm.ContentMarkdown, "")
	assert.Contains(t, md, "bold")
	assert.Contains(t, md, "but this")
	assert.NotContains(t, md, "invisible")

	// A closed root is out of reach, like anything that is not there.
	goTo(t, tab, "/t/shadow-content")
	_, err := tab.Locator("x-c >>> button").Click(within(t, time.Second), nil)
	fails(t, err, swarm.SelectorNotFound)
}

// TestContentOfOtherDocuments is B56.
func TestContentOfOtherDocuments(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	for path, want := range map[string]string{
		"/t/json":  `{"name":"swarm","list":[1,2,3],"text":"<b>ü 你好</b>"}`,
		"/t/plain": "first line\n<b>not bold</b>\nlast line, ü 你好\n",
	} {
		goTo(t, tab, path)
		for _, kind := range []swarm.ContentType{swarm.ContentText, swarm.ContentHTML, swarm.ContentMarkdown} {
			assert.Equal(t, want, content(t, tab, kind, ""), "%s as %s", path, kind)
		}
	}
	for path, want := range map[string]string{
		"/t/charset/shift_jis": "日本語", "/t/charset/latin1": "é", "/t/charset/utf8bom": "ü", "/t/charset/gzip": "", "/t/raw-header": "", "/t/svg": "svg text",
	} {
		goTo(t, tab, path)
		got := content(t, tab, swarm.ContentText, "")
		assert.Contains(t, got, want, path)
		assert.NotContains(t, got, "\ufffd", path)
		assert.NotEmpty(t, content(t, tab, swarm.ContentHTML, ""), path)
	}
	n, err := tab.Goto(within(t, 10*time.Second), site.URL+"/t/pdf", nil)
	require.NoError(t, err, "a PDF is a clear answer, not a hang")
	if n.Download == nil {
		content(t, tab, swarm.ContentText, "")
	}
	goTo(t, tab, "/t/img.png")
	assert.Empty(t, content(t, tab, swarm.ContentText, ""))
}

func TestContentIsWhole(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/text?mb=5")
	assert.Greater(t, len(content(t, tab, swarm.ContentText, "")), 5_000_000)
	goTo(t, tab, "/t/big?nodes=20000")
	assert.NotEmpty(t, content(t, tab, swarm.ContentMarkdown, ""))
	assert.Equal(t, "3", eval(t, tab, "1 + 2"))
}

func TestLoneSurrogatesDoNotBreakTheText(t *testing.T) {
	t.Parallel()
	tab := show(t, `<title>t</title><p id=p></p><input id=i>`)
	eval(t, tab, "p.textContent = document.title = i.value = 'a\\ud800b', null")
	assert.Equal(t, "a\ufffdb", text(t, tab.Locator("#p")))
	assert.Equal(t, "a\ufffdb", text(t, tab.Locator("#i")))
	assert.Contains(t, content(t, tab, swarm.ContentHTML, ""), "a\ufffdb")
	title, err := tab.Title(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a\ufffdb", title)
}
