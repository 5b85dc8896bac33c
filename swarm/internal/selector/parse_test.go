package selector

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func one(steps ...Step) Selector { return Selector{Alternatives: []Chain{steps}} }

func css(body string) Step { return Step{Engine: CSS, Body: body} }

func with(c Combinator, s Step) Step { s.Combinator = c; return s }

func words(e Engine, text string) Step {
	return Step{Engine: e, Match: &Match{Text: text, IgnoreCase: true}}
}

func exactly(e Engine, text string) Step {
	return Step{Engine: e, Match: &Match{Text: text, Exact: true}}
}

func TestParseCombinators(t *testing.T) {
	for src, want := range map[string]Selector{
		"a >>> b":         one(css("a"), with(Deep, css("b"))),
		"a>>>b":           one(css("a"), with(Deep, css("b"))),
		" a\n>>>\tb ":     one(css("a"), with(Deep, css("b"))),
		"a >>>> b":        one(css("a"), with(Child, css("b"))),
		"a>>>>b>>>c":      one(css("a"), with(Child, css("b")), with(Deep, css("c"))),
		">>> b":           one(with(Deep, css("b"))),
		">>>>b":           one(with(Child, css("b"))),
		"a > b >>> c > d": one(css("a > b"), with(Deep, css("c > d"))),
		"app-container >>> user-card >>> #email-input": one(css("app-container"), with(Deep, css("user-card")), with(Deep, css("#email-input"))),
		"a:not(.b) >>> c:is(d, e):has(> f)":            one(css("a:not(.b)"), with(Deep, css("c:is(d, e):has(> f)"))),
		"a, b >>> c,>>> d": {Alternatives: []Chain{
			{css("a")}, {css("b"), with(Deep, css("c"))}, {with(Deep, css("d"))}}},
		`[x="a>>>b"]`:              one(css(`[x="a>>>b"]`)),
		`[x='a, b'] >>> c`:         one(css(`[x='a, b']`), with(Deep, css("c"))),
		`[x=a>>>b]`:                one(css(`[x=a>>>b]`)), // for the browser to reject
		`a/* >>> , */b`:            one(css(`a/* >>> , */b`)),
		`/* x */ a /* y */ >>> b`:  one(css("a"), with(Deep, css("b"))),
		`.a\>\>\>b`:                one(css(`.a\>\>\>b`)),
		`.a\,b`:                    one(css(`.a\,b`)),
		`#\31 >>> b`:               one(css(`#\31`), with(Deep, css("b"))),
		`.a\ >>> b`:                one(css(`.a\ `), with(Deep, css("b"))),
		"x-app >>> text=Save":      one(css("x-app"), with(Deep, words(Text, "Save"))),
		"text=Card >>> button, a":  {Alternatives: []Chain{{words(Text, "Card"), with(Deep, css("button"))}, {css("a")}}},
		"a, text=Save, please":     {Alternatives: []Chain{{css("a")}, {words(Text, "Save, please")}}},
		"ref=f3e12 >>> input":      one(Step{Engine: Ref, Body: "f3e12"}, with(Deep, css("input"))),
		"xpath=//a[1]>>>>b":        one(Step{Engine: XPath, Body: "//a[1]"}, with(Child, css("b"))),
		"x-app >>> //b, //c >>> d": {},
	} {
		t.Run(src, func(t *testing.T) {
			got, err := Parse(src)
			if want.Alternatives == nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestParseEngines(t *testing.T) {
	role := func(name string, m *Match, states map[string]string) Step {
		return Step{Engine: Role, Role: name, Match: m, States: states}
	}
	xpath := func(body string) Step { return Step{Engine: XPath, Body: body} }
	re := func(e Engine, body, flags string) Step {
		return Step{Engine: e, Match: &Match{Regexp: body, Flags: flags}}
	}
	for src, want := range map[string]Step{
		"text=Sign in":               words(Text, "Sign in"),
		"text=  Sign \n in  ":        words(Text, "Sign in"),
		`text="Sign in"`:             exactly(Text, "Sign in"),
		`text='Sign  in' `:           exactly(Text, "Sign in"),
		`text="say \"hi\" \\ >>> b"`: exactly(Text, `say "hi" \ >>> b`),
		"text=Don't, a=b #1 [x":      words(Text, "Don't, a=b #1 [x"),
		"text=a > b":                 words(Text, "a > b"),
		"text=中華豆腐":                  words(Text, "中華豆腐"),
		"text=/sign (in|up)/i":       re(Text, "sign (in|up)", "i"),
		`text=/a>>>b\/[/]c/`:         re(Text, `a>>>b\/[/]c`, ""),
		"text=/a/giy":                re(Text, "a", "i"),
		"text=/usr/bin":              words(Text, "/usr/bin"),
		"text=/":                     words(Text, "/"),
		"text=//x":                   words(Text, "//x"),
		"label=Email":                words(Label, "Email"),
		`label="E-mail"`:             exactly(Label, "E-mail"),
		"label=/^e/i":                re(Label, "^e", "i"),

		"role=button":                                role("button", nil, nil),
		`role=button[name="Save"]`:                   role("button", &Match{Text: "Save", Exact: true}, nil),
		`role=button [ name = "Save" ] `:             role("button", &Match{Text: "Save", Exact: true}, nil),
		`role=button[name=Save]`:                     role("button", &Match{Text: "Save", Exact: true}, nil),
		`role=button[name="a]b, c" i]`:               role("button", &Match{Text: "a]b, c", Exact: true, IgnoreCase: true}, nil),
		`role=button[name="Save"i]`:                  role("button", &Match{Text: "Save", Exact: true, IgnoreCase: true}, nil),
		`role=button[name="Save" s]`:                 role("button", &Match{Text: "Save", Exact: true}, nil),
		`role=button[name=Save i]`:                   role("button", &Match{Text: "Save", Exact: true, IgnoreCase: true}, nil),
		`role=button[name*="Save"]`:                  role("button", &Match{Text: "Save"}, nil),
		`role=button[name=""]`:                       role("button", &Match{Exact: true}, nil),
		`role=button[name=/sa[v]e]?/i]`:              role("button", &Match{Regexp: "sa[v]e]?", Flags: "i"}, nil),
		"role=checkbox[checked][disabled=false]":     role("checkbox", nil, map[string]string{"checked": "true", "disabled": "false"}),
		"role=checkbox[checked=mixed]":               role("checkbox", nil, map[string]string{"checked": "mixed"}),
		"role=heading[level=2]":                      role("heading", nil, map[string]string{"level": "2"}),
		"role=tab[selected][expanded=true]":          role("tab", nil, map[string]string{"selected": "true", "expanded": "true"}),
		`role=button[pressed="true"]`:                role("button", nil, map[string]string{"pressed": "true"}),
		"role=button[include-hidden]":                {Engine: Role, Role: "button", IncludeHidden: true},
		"role=button[include-hidden=false]":          role("button", nil, nil),
		"xpath=//a[@x='>>>' and contains(., \",\")]": xpath("//a[@x='>>>' and contains(., \",\")]"),
		"xpath=/*":          xpath("/*"),
		"//a":               xpath("//a"),
		"..":                xpath(".."),
		"../a":              xpath("../a"),
		".//a":              xpath(".//a"),
		"/html/body":        xpath("/html/body"),
		"(//a)[2] ":         xpath("(//a)[2]"),
		"( (//a)[2] | //b)": xpath("( (//a)[2] | //b)"),
		"ref=e12":           {Engine: Ref, Body: "e12"},
	} {
		t.Run(src, func(t *testing.T) {
			got, err := Parse(src)
			require.NoError(t, err)
			assert.Equal(t, one(want), got)
		})
	}
}

// document.querySelector of Chromium 156 accepts all of these but a|b, whose
// namespace a page cannot declare.
var validCSS = []string{
	"*", "a", "A B", "#x.y", "#-x", "#--x", "#_", `#\31 st`, `.\31 0`, `#\#a`, "#日本語", ".ünï", "x-ü",
	"a|b", "*|*", "|a", "*|a", ":root", "::before", "a::part(x y)", "a:nth-child(2n + 1 of .x, .y)",
	":nth-child( -n+3 )", ":is(a,b)", ":is()", ":where(a > b, c)", ":not(:is(a ~ b))", ":has(> a, + b)", "a:hover:focus-within",
	`[x]`, `[x=y]`, `[ x = "y" i ]`, `[x~="@"]`, `[x|=y]`, `[x^="("]`, `[x$="]"]`, `[x*=")"]`, `[x="#1"]`, `[x=":visible"]`,
	`[x=":contains(a)"]`, `[x="a\
b"]`, `[x="a\"b"]`, `[*|x]`, `[|x]`, "a>b+c~d", "a > b", "a\t+\nb", "a/**/.b", "a/* ' ( [ */>/* x */b", ":lang(en)", ":dir(ltr)",
	":scope > a", "& > a", `a:not([x="a,b"]):is(.c\:d, .e\.f)`, ":host(.a)", ":state(visible)", "a\\>b", `\#a`, `\` + "\u00e9", "--x", "a-1", ".a1", "*.a",
	":nth-last-of-type(odd)", ":is(#a, :unknown)", "html:not(:first-child):last-child", "input:checked", "a:visited", "input:read-only",
}

func TestValidCSSIsKept(t *testing.T) {
	for _, src := range validCSS {
		got, err := Parse(src)
		if assert.NoError(t, err, src) {
			assert.Equal(t, one(css(src)), got)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{``, `the selector is empty`},
		{" \n", `the selector is empty at the end of " \n"`},
		{`div[`, `unclosed "[" at character 4 of "div["`},
		{`日本[`, `unclosed "[" at character 3 of "日本["`},
		{`a:is(b`, `unclosed "(" at character 5 of "a:is(b"`},
		{`a:is([b)`, "unexpected \")\" at character 8 of \"a:is([b)\": the \"[\" at character 6 is still open"},
		{`a]`, `unexpected "]" at character 2 of "a]"`},
		{`[x="a]`, "unclosed quote at character 4 of `[x=\"a]`"},
		{"[x='a\n']", `unclosed quote at character 4 of "[x='a\n']"`},
		{`a /* b`, `unclosed comment at character 3 of "a /* b"`},
		{`a\`, `nothing follows the backslash at character 2 of "a\\"`},
		{`a >`, `nothing follows ">" at character 3 of "a >"`},
		{`a ~ , b`, `nothing follows "~" at character 3 of "a ~ , b"`},
		{`a > + b`, `"+" follows ">" at character 5 of "a > + b"`},
		{`> a`, `nothing precedes ">" at character 1 of "> a": ":scope" stands for the root`},
		{`a,,b`, `a selector is missing at character 3 of "a,,b"`},
		{`a,`, `a selector is missing at the end of "a,"`},
		{`,a`, `a selector is missing at character 1 of ",a"`},
		{`a >>>`, `a selector is missing at the end of "a >>>"`},
		{`a >>> , b`, `a selector is missing at character 7 of "a >>> , b"`},
		{`a >>> >>> b`, `a selector is missing at character 7 of "a >>> >>> b"`},
		{`/* a */`, `a selector is missing at the end of "/* a */"`},
		{`a >>> > b`, `nothing precedes ">" at character 7 of "a >>> > b": ":scope" stands for the root`},
		{`a >> b`, `unknown combinator ">>" at character 3 of "a >> b": use ">>>"`},
		{`a >> text=b`, `unknown combinator ">>" at character 3`},
		{`text=a >> b`, `unknown combinator ">>" at character 8`},
		{`a >>>>> b`, `unknown combinator ">>>>>" at character 3`},
		{`:is(a >>> b)`, `">>>" inside of parentheses at character 7 of ":is(a >>> b)": ":is", ":not" and ":has" do not look`},
		{`#1st`, `an id in CSS cannot begin with a digit at character 1 of "#1st": write [id="1st"]`},
		{`a #-1.b`, `an id in CSS cannot begin with a digit at character 3 of "a #-1.b": write [id="-1"]`},
		{`.2x`, `a class in CSS cannot begin with a digit at character 1 of ".2x": write [class~="2x"]`},
		{`a. b`, `"." without a name at character 2 of "a. b"`},
		{`#`, `"#" without a name at character 1 of "#"`},
		{`a:`, `":" without a name at character 2 of "a:"`},
		{`foo=bar`, `unknown engine "foo=" at character 1 of "foo=bar": the engines are text=, label=, role=, xpath= and ref=; for an attribute write [foo="…"]`},
		{`css=a`, `unknown engine "css=" at character 1 of "css=a": a CSS selector is written as it is`},
		{`div text=Save`, `"=" outside of brackets at character 9 of "div text=Save": attributes are written`},
		{`body/div`, `unexpected "/" at character 5 of "body/div": XPath is written xpath=//`},
		{`a /deep/ b`, `unexpected "/" at character 3`},
		{`a{`, `unexpected "{" at character 2 of "a{"`},
		{`(a)`, `unexpected "(" at character 1 of "(a)"`},
		{`a:has-text("b")`, `":has-text" is not CSS at character 2`},
		{`a:Contains(b)`, `":Contains" is not CSS at character 2`},
		{`a:not(:visible)`, `":visible" is not CSS at character 7 of "a:not(:visible)": leave it out`},
		{`li:eq(1)`, `":eq" is not CSS at character 3`},
		{`::-p-text(a)`, `"::-p-text" is not CSS at character 1`},
		{`text=`, `the text after text= is missing at the end of "text="`},
		{`text= >>> b`, `the text after text= is missing at character 7 of "text= >>> b"`},
		{`label=""`, "the text is empty at character 7 of `label=\"\"`"},
		{`text="a`, "unclosed quote at character 6 of `text=\"a`"},
		{`text="a" b`, "unexpected \"b\" after the closing quote at character 10 of `text=\"a\" b`"},
		{`text="a", b`, "unexpected \",\" after the closing quote at character 9 of `text=\"a\", b`: a list goes on only after CSS"},
		{`role=`, `the role after role= is missing at the end of "role="`},
		{`role=button[`, `the name of a condition is missing at the end of "role=button["`},
		{`role=button[name="a"`, "unclosed \"[\" at character 12 of `role=button[name=\"a\"`"},
		{`role=button[name=`, `unclosed "[" at character 12 of "role=button[name="`},
		{`role=button[name=]`, `the value of name is missing at character 18`},
		{`role=button[name]`, `[name] cannot be used like this at character 12 of "role=button[name]": write [name="Save"]`},
		{`role=button[name=Sign up]`, `unexpected "u" at character 23 of "role=button[name=Sign up]": a value with blanks`},
		{`role=button[name=/a/x]`, `unexpected "x" at character 21`},
		{`role=button[checked=maybe]`, `[checked] cannot be used like this at character 12 of "role=button[checked=maybe]": its values are true, false, mixed`},
		{`role=heading[level]`, `[level] cannot be used like this at character 13 of "role=heading[level]": its values are 1,`},
		{`role=button[id=x]`, `[id] cannot be used like this at character 12 of "role=button[id=x]": a role has [name="…"]`},
		{`role=a[checked][checked]`, `a second [checked] at character 16`},
		{`role=button, a`, `unexpected "," after the role at character 12 of "role=button, a": a list goes on only after CSS`},
		{`role=button.x`, `unexpected "." after the role at character 12`},
		{`xpath=`, `the expression after xpath= is missing at the end of "xpath="`},
		{`//a[`, `unclosed "[" at character 4 of "//a["`},
		{`//a[@x='b]`, `unclosed quote at character 8 of "//a[@x='b]"`},
		{`//a)`, `unexpected ")" at character 4 of "//a)"`},
		{`//a, b`, `unexpected "," after the expression at character 4 of "//a, b": a list goes on only after CSS`},
		{`ref=`, `a ref, such as the e12 of a snapshot, is missing at the end of "ref="`},
		{`ref=e1 e2`, `unexpected "e" after the ref at character 8 of "ref=e1 e2"`},
		{"a\xff", `invalid UTF-8 at character 2 of "a\xff"`},
	} {
		t.Run(tc.src, func(t *testing.T) {
			got, err := Parse(tc.src)
			var syntax *SyntaxError
			require.True(t, errors.As(err, &syntax), "%v, %v", got, err)
			assert.Equal(t, tc.want, err.Error()[:min(len(tc.want), len(err.Error()))])
			assert.Equal(t, tc.src, syntax.Selector)
			assert.Zero(t, got)
		})
	}
}

func TestSyntaxErrorPosIsInBytes(t *testing.T) {
	_, err := Parse("日本[")
	var syntax *SyntaxError
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, 6, syntax.Pos)
}

func TestString(t *testing.T) {
	for src, want := range map[string]string{
		"a>>>b,c":                            "a >>> b, c",
		"  >>>>  a ":                         ">>>> a",
		"//a":                                "xpath=//a",
		"text='a \"b\"'":                     `text="a \"b\""`,
		"role=b[level=1][checked]":           "role=b[checked=true][level=1]",
		`role=b[include-hidden][name="x" i]`: `role=b[name="x" i][include-hidden]`,
		`role=b[name*=x]`:                    `role=b[name*="x"]`,
	} {
		sel, err := Parse(src)
		require.NoError(t, err, src)
		assert.Equal(t, want, sel.String())
	}
}

func TestJSON(t *testing.T) {
	sel, err := Parse(`#save, x-app >>> role=button[name="Save"][disabled]`)
	require.NoError(t, err)
	got, err := json.Marshal(sel)
	require.NoError(t, err)
	assert.JSONEq(t, `{"alternatives":[
		[{"engine":"css","body":"#save"}],
		[{"engine":"css","body":"x-app"},
		 {"combinator":">>>","engine":"role","role":"button",
		  "match":{"text":"Save","exact":true},"states":{"disabled":"true"}}]]}`, string(got))
}

func FuzzParse(f *testing.F) {
	for _, s := range validCSS {
		f.Add(s)
	}
	for _, s := range []string{
		"a >>> b, c >>>> d", ">>> a", `text="a" >>> text=/b/i`, `role=a[name=/x/i][level=2] >>> label=b`, "(//a)[1] >>> ref=e1",
		"/**/..", "text=/a/ \u00a0i", `role=a[name*='\"' i]`, "#\\31 >>> b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		sel, err := Parse(src)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.True(t, syntax.Pos >= 0 && syntax.Pos <= len(src))
			require.NotEmpty(t, syntax.Error())
			if utf8.ValidString(src) {
				require.True(t, utf8.ValidString(src[:syntax.Pos]), "Pos is inside a character")
			}
			return
		}
		again, err := Parse(sel.String())
		require.NoError(t, err, "String gave %q", sel.String())
		require.Equal(t, sel, again, "String gave %q", sel.String())
	})
}
