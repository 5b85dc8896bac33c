package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const address = "https://example.test/dir/page?q=1"

func TestConvert(t *testing.T) {
	for name, tc := range map[string]struct{ html, want string }{
		"headings and paragraphs": {`<h1>A</h1><p>b <b>c</b> <em>d</em> <del>e</del></p><hr>`, "# A\n\nb **c** *d* ~~e~~\n\n* * *"},
		"relative link":           {`<a href="../x?a=1&b=2#f">x</a>`, "[x](https://example.test/x?a=1&b=2#f)"},
		"root link":               {`<a href=/x title=T>x</a>`, `[x](https://example.test/x "T")`},
		"scheme-relative link":    {`<a href="//other.test/">x</a>`, "[x](https://other.test/)"},
		"fragment link":           {`<a href="#s">x</a>`, "[x](https://example.test/dir/page?q=1#s)"},
		"absolute link":           {`<a href="http://a.test">x</a> <a href="mailto:a@b.test">m</a>`, "[x](http://a.test) [m](mailto:a@b.test)"},
		"script link":             {`<a href="javascript:void(0)">x</a>`, "x"},
		"link around blocks":      {`<a href=/c><h3>T</h3><p>u</p></a>`, "[**T**  \n\\\nu](https://example.test/c)"},
		"empty link":              {`a<a href=/x></a>b`, "ab"},
		"image":                   {`<img src=i.png alt="An [i]">`, `![An \[i\]](https://example.test/dir/i.png)`},
		"inline image":            {`a <img src="data:image/png;base64,AAAA" alt=x> b`, "a x b"},
		"list":                    {`<ul><li>a<ol><li>b<li>c</ol><li>d</ul>`, "- a\n  \n  1. b\n  2. c\n- d"},
		"code":                    {"<pre><code class=\"language-go\">a  := `b`\n\tc*d*\n</code></pre>", "```go\na  := `b`\n\tc*d*\n```"},
		"table": {`<table><thead><tr><th>A<th>B</thead><tr><td>1<td><a href=/x>x|y</a><tr><td>2<td>`,
			"| A | B |\n|---|---|\n| 1 | [x\\|y](https://example.test/x) |\n| 2 |  |"},
		"table without a head":    {`<table><tr><td>1<td>2<tr><td>3<td>4</table>`, "| 1 | 2 |\n|---|---|\n| 3 | 4 |"},
		"spans":                   {`<table><tr><td colspan=2>1<tr><td colspan=1000000000>2<td rowspan=9999999999999999999>3</table>`, "| 1 |  |\n|---|---|\n| 2 | 3 |"},
		"rows alone":              {`<tr><td>1<td>2<tr><td>3<td>4`, "| 1 | 2 |\n|---|---|\n| 3 | 4 |"},
		"what is not read":        {`a<script>b</script><style>c{}</style><noscript>d</noscript><template>e</template><!--f--><svg><title>g</title></svg><input value=h><dialog>i</dialog>`, "a"},
		"hidden":                  {`a<p hidden>b</p><p style="color:red; DISPLAY : none">c</p><p style="visibility:hidden">d</p><dialog open>e</dialog>`, "a\n\ne"},
		"not hidden":              {`<p style="--x-display: none-such; display:block">a</p><p aria-hidden=true>b</p>`, "a\n\nb"},
		"text that looks like it": {`<p>1. a *b* _c_ # d &lt;e&gt;</p>`, "1\\. a \\*b* \\_c_ # d &lt;e&gt;"},
		"any script":              {`<p>中華豆腐 – naïve 🙂</p>`, "中華豆腐 – naïve 🙂"},
		"document":                {`<!doctype html><html><head><title>T</title><meta name=a></head><body>x</body></html>`, "x"},
		"nothing":                 {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Convert(tc.html, address, nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestConvertWithoutAUsableBase(t *testing.T) {
	for _, base := range []string{"", "about:blank", "data:text/html,x"} {
		got, err := Convert(`<a href="/x?a=b">x</a>`, base, &Options{Main: true})
		require.NoError(t, err, base)
		assert.Equal(t, "[x](/x?a=b)", got, base)
	}
	got, err := Convert(`<a href="x">x</a>`, "file:///d/e.html", nil)
	require.NoError(t, err)
	assert.Equal(t, "[x](file:///d/x)", got)

	_, err = Convert("x", "http://[", nil)
	assert.ErrorContains(t, err, "parse the base address")
}

func page(paragraphs int) string {
	text := strings.Repeat("<p>The river rose in the night, and by the morning, as they had feared, the lower fields were under water.</p>", paragraphs)
	return `<html><head><title>The flood</title></head><body>
<nav><ul><li><a href=/>Home</a><li><a href=/about>About us</a></ul></nav>
<article><h1>The flood</h1>` + text + `<p hidden>Not this.</p><p>See <a href="more">more</a>, and <a href="/all">all of it</a>, if you have the time.</p></article>
<footer>All rights reserved</footer></body></html>`
}

func TestMainContent(t *testing.T) {
	got, err := Convert(page(8), address, &Options{Main: true})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(got, "# The flood\n\nThe river rose"), got)
	assert.Equal(t, 1, strings.Count(got, "The flood"))
	assert.Contains(t, got, "[more](https://example.test/dir/more)")
	assert.NotContains(t, got, "About us")
	assert.NotContains(t, got, "All rights")
	assert.NotContains(t, got, "Not this")

	whole, err := Convert(page(8), address, nil)
	require.NoError(t, err)
	assert.Contains(t, whole, "[About us](https://example.test/about)")
}

func TestMainFallsBackToTheWhole(t *testing.T) {
	for _, src := range []string{page(1), "<p>Short.</p>", "<form><input><button>Send</button></form>"} {
		got, err := Convert(src, address, &Options{Main: true})
		require.NoError(t, err)
		want, err := Convert(src, address, nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.NotEmpty(t, got)
	}
}

func TestTooDeep(t *testing.T) {
	_, err := Convert(strings.Repeat("<div>", 100_000), address, nil)
	assert.ErrorContains(t, err, "parse the HTML")
}

func FuzzConvert(f *testing.F) {
	f.Add(page(4), address)
	f.Add("<table><tr><td colspan=99 rowspan=0><table><td>a<ul><li>b", "")
	f.Add("<a href='%zz'><img src='::'><pre>```", "about:blank")
	f.Fuzz(func(t *testing.T, src, base string) {
		for _, main := range []bool{false, true} {
			_, _ = Convert(src, base, &Options{Main: main}) // must not panic
		}
	})
}
