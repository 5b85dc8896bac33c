package swarm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// scripts and their values, run one after the other in one page.
var scripts = []struct{ script, want string }{
	// Expressions, statements and functions.
	{"1 + 1", "2"}, {"document.title", `"blank"`}, {"`a ${1 + 1} b`", `"a 2 b"`}, {"'`'", "\"`\""}, {"1 // a comment", "1"}, {"// first\n2", "2"}, {"/* all */", "null"},
	{"", "null"}, {"  \n", "null"}, {"// only", "null"}, {"{a: 1}", `{"a":1}`}, {"{}", "{}"}, {"({a: {b: [1]}})", `{"a":{"b":[1]}}`}, {"a = 1, a", "1"},
	{"let x = 1; x", "1"}, {"let x = 2; x", "2"}, {"const c = 1; c", "1"}, {"const c = 2; c", "2"}, {"x + c", "4"}, {"class C {}; new C instanceof C", "true"}, {"var v = 3; v", "3"},
	{"if (true) { 'in if' }", `"in if"`}, {"for (let i = 0; i < 3; i++) i", "2"}, {"return 1", "1"}, {"const r = 2; return r // r", "2"}, {"if (1) return 'early'; 'late'", `"early"`},
	{"() => 1", "1"}, {"(a) => 'called'", `"called"`}, {"x => 7", "7"}, {"async () => 8", "8"}, {"async x => 9", "9"}, {"({a} = {}) => 11", "11"}, {"(a = (1)) => a", "1"},
	{"function f() { return 10 }", "10"}, {"async function f() { return await 12 }", "12"}, {"function () { return 13 }", "13"}, {"(() => 14)", "14"}, {"(function() { return 15 })()", "15"},
	{"// why\n() => 16", "16"}, {"/* why */ async () => 17", "17"}, {"(() => 18)()", "18"}, {"() => {\n  // inside\n  return 19\n}\n", "19"}, {"function g() { return 1 }; g() + 1", "2"},
	{"await 5", "5"}, {"const w = await 6; w", "6"}, {"const w2 = await 7; return w2", "7"}, {"Promise.resolve(3)", "3"}, {"fetch('/t/blank').then(r => r.status)", "200"},
	{"new Promise(r => setTimeout(() => r('late'), 50))", `"late"`}, {"this === window", "true"},
	{"'</script><!-- é 你 👨‍👩‍👧'", `"</script><!-- é 你 👨‍👩‍👧"`},

	// Values that JSON cannot hold.
	{"undefined", "null"}, {"null", "null"}, {"NaN", `"NaN"`}, {"Infinity", `"Infinity"`}, {"-Infinity", `"-Infinity"`}, {"-0", "0"}, {"12n", `"12n"`}, {"({a: 1n})", `{"a":"1n"}`},
	{"let n = 12n; n", `"12n"`}, {"let m = -0; m", "0"}, {"let nan = NaN; nan", `"NaN"`}, {"1e21", "1e+21"}, {"0.1", "0.1"}, {"[NaN, undefined, () => 1]", `["NaN",null,"ƒ (anonymous)"]`},
	{"Symbol('a')", `"Symbol(a)"`}, {"alert", `"ƒ alert"`}, {"class A {}", `"class A"`}, {"({f() {}, u: undefined})", `{"f":"ƒ f"}`}, {"[,1]", "[null,1]"},
	{"window", `"[Window]"`}, {"document", `"<#document>"`}, {"document.body", `"<body>"`}, {"document.querySelectorAll('body')", `["<body>"]`}, {"document.createTextNode('t')", `"<#text>"`},
	{"Object.assign(document.createElement('a'), {id: 'i'})", `"<a#i>"`}, {"Object.assign(document.createElement('a'), {className: 'b c'})", `"<a.b.c>"`},
	{"document.createElementNS('http://www.w3.org/2000/svg', 'svg')", `"<svg>"`}, {"Object.assign(document.createElement('form'), {innerHTML: '<input name=id>'})", `"<form>"`},
	{"new Map([[1, {a: 2}]])", `[[1,{"a":2}]]`}, {"new Set([1, [2]])", "[1,[2]]"}, {"new Date(0)", `"1970-01-01T00:00:00.000Z"`}, {"new Date(NaN)", `"Invalid Date"`}, {"/re/g", `"/re/g"`},
	{"new Error('x')", `"Error: x"`}, {"new DOMException('x', 'AbortError')", `"AbortError: x"`}, {"new Uint8Array([1, 2])", "[1,2]"}, {"new BigInt64Array(1)", `["0n"]`}, {"new ArrayBuffer(2)", "[0,0]"},
	{"new DOMRect(1, 2, 3, 4)", `{"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}`}, {"({toJSON() { return {b: 1} }})", `{"b":1}`}, {"new URL('http://a/')", `"http://a/"`},
	{"new (class Foo { x = 1 })", `{"x":1}`}, {"Object.create(null)", "{}"}, {"new Boolean(false)", "false"}, {"new WeakMap", `"[WeakMap]"`}, {"[Promise.resolve(1)]", `["[Promise]"]`},
	{"({get a() { throw new Error('no') }, b: 1})", `{"a":"[Threw: no]","b":1}`}, {"new Proxy({}, {ownKeys() { throw new Error('px') }})", `"[Threw: px]"`},
	{"(() => { const o = {}; o.o = o; return o })()", `{"o":"[Circular]"}`}, {"(() => { const a = {}; return [a, a] })()", "[{},{}]"}, {"'\\ud800'", `"�"`}, {"let lone = 'a\\ud800<'; lone", `"a�<"`},
	{"let big = {}; for (let i = 0, d = big; i < 1e5; i++) d = d.d = {}; JSON.stringify(typeof big)", `"\"object\""`},
	{"document.body.append(window.f = document.createElement('iframe')), [f.contentWindow, f.contentDocument.body, new f.contentWindow.Map([[1, 2]]), new f.contentWindow.Error('e'), new f.contentWindow.Date(0)]",
		`["[Window]","<body>",[[1,2]],"Error: e","1970-01-01T00:00:00.000Z"]`},
	{"alert('noted')", "null"}, {"confirm('sure?')", "false"}, {"prompt('name?')", "null"},
}

func TestEvaluateKindsOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	for _, c := range scripts {
		value, err := tab.Evaluate(t.Context(), c.script)
		require.NoError(t, err, c.script)
		assert.Equal(t, c.want, string(value), c.script)
	}
}

func TestEvaluateWritesWhatIsLarge(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	var numbers []int
	require.NoError(t, json.Unmarshal([]byte(eval(t, tab, "new Array(1e6).fill(7)")), &numbers))
	assert.Len(t, numbers, 1_000_000)
	assert.Len(t, eval(t, tab, "'x'.repeat(5e6)"), 5_000_002)
	assert.Len(t, eval(t, tab, "let s = 'x'.repeat(5e6); s"), 5_000_002)
	assert.Equal(t, "300000", eval(t, tab, "'"+strings.Repeat("x", 300_000)+"'.length"))
	deep := eval(t, tab, "let deep = {}; for (let i = 0, d = deep; i < 1e5; i++) d = d.d = {}; deep")
	assert.True(t, strings.HasPrefix(deep, `{"d":{"d":`), "a chain without end is written as far as the stack reaches")
}

func TestEvaluateSaysWhatWasThrownAndWhere(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	eval(t, tab, "window.thrower = () => {\n\n    null.x }, 1")
	for _, c := range []struct {
		script, message string
		line, column    int
	}{
		// As an expression.
		{"nope()", "ReferenceError: nope is not defined", 1, 1},
		{"1 + null.x", "TypeError: Cannot read properties of null", 1, 10},
		{"1 +\n\n  null.x", "TypeError: Cannot read properties of null", 3, 8},
		{"() => {\n\n  null.x }", "TypeError: Cannot read properties of null", 3, 8},
		{"(async () => { await 1; null.x })()", "TypeError: Cannot read properties of null", 1, 30},
		{"Promise.reject(new TypeError('boom'))", "TypeError: boom", 1, 16},
		{"JSON.parse('{')", "SyntaxError: Expected property name", 1, 6},
		{"thrower()", "TypeError: Cannot read properties of null", 1, 1},
		{"[1].map(thrower)", "TypeError: Cannot read properties of null", 1, 5},
		// As statements.
		{"let a = 1; null.x", "TypeError: Cannot read properties of null", 1, 17},
		{"let a = 1;\n\n  null.x", "TypeError: Cannot read properties of null", 3, 8},
		{"throw new Error('x')", "Error: x", 1, 7},
		{"let b;\nconst c = () => null.x;\nc()", "TypeError: Cannot read properties of null", 2, 22},
		{"let a = ;", "SyntaxError: Unexpected token ';'", 1, 9},
		{"foo bar", "SyntaxError: Unexpected identifier 'bar'", 1, 5},
		{"\n\n  )", "SyntaxError: Unexpected token ')'", 3, 3},
		// As the body of a function.
		{"if (1) null.x; return 1", "TypeError: Cannot read properties of null", 1, 13},
		{"let y = 2;\n\n  null.x; return 1", "TypeError: Cannot read properties of null", 3, 8},
		{"let z = 1;\nreturn )", "SyntaxError: Unexpected token ')'", 2, 8},
		// Values that are no errors.
		{"throw 'text'", `threw "text"`, 1, 1},
		{"throw {code: 5}", `threw {"code":5}`, 1, 1},
		{"throw 5", "threw 5", 1, 1},
		{"throw null", "threw null", 1, 1},
		{"throw undefined", "threw undefined", 1, 1},
		{"Promise.reject('p')", `threw "p"`, 0, 0},
		{"Promise.reject({a: [1]})", `threw {"a":[1]}`, 0, 0},
		{"Promise.reject()", "threw undefined", 0, 0},
		{"document.querySelector('[')", "SyntaxError: Failed to execute 'querySelector'", 1, 10},
	} {
		_, err := tab.Evaluate(t.Context(), c.script)
		e := fails(t, err, swarm.ScriptError)
		assert.Contains(t, e.Message, c.message, c.script)
		assert.Equal(t, []int{c.line, c.column}, []int{e.Line, e.Column}, c.script)
	}
	_, err := tab.Evaluate(t.Context(), "1 + null.x")
	assert.Equal(t, "at <anonymous>:1:10", fails(t, err, swarm.ScriptError).Stack, "the stack counts as the position does")
}

func TestWhatCompilesRunsOnce(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	for _, script := range []string{
		"window.n = (window.n || 0) + 1, await import('data:text/javascript,(')",
		"window.n = (window.n || 0) + 1, JSON.parse('{')",
		"Error.stackTraceLimit = 0, window.n = (window.n || 0) + 1, JSON.parse('{')",
	} {
		_, err := tab.Evaluate(t.Context(), script)
		fails(t, err, swarm.ScriptError)
	}
	assert.Equal(t, "3", eval(t, tab, "window.n"))
}

func TestAScriptThatNeverEndsIsStoppedOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	for _, script := range []string{
		"while (true) {}", "let forever = () => { for (;;); }; forever()", "for (;;) await 0", "(async () => { for (;;) await 0 })()", "return (() => { for (;;); })()",
		"({get a() { for (;;); }})", "new Promise(() => {})", "setTimeout(() => { for (;;); }), await new Promise(() => {})",
	} {
		began := time.Now()
		_, err := tab.Evaluate(within(t, 500*time.Millisecond), script)
		e := fails(t, err, swarm.TimeoutError)
		assert.Contains(t, e.Message, "the script to end", script)
		assert.Less(t, time.Since(began), 4*time.Second, script)
		assert.Equal(t, "2", eval(t, tab, "1 + 1"), "the tab can be used after %s", script)
	}
	_, err := tab.Screenshot(t.Context(), nil)
	require.NoError(t, err)
}

func TestACancelledScriptIsStopped(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	began := time.Now()
	_, err := tab.Evaluate(ctx, "for (;;);")
	fails(t, err, swarm.Cancelled)
	assert.Less(t, time.Since(began), 4*time.Second)
	assert.Equal(t, "1", eval(t, tab, "1"))
}

func TestAScriptThatLeavesThePage(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	_, err := tab.Evaluate(t.Context(), "location.href = '/t/b'; await new Promise(() => {})")
	e := fails(t, err, swarm.ScriptError)
	assert.Contains(t, e.Message, "navigated away")
	require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
	assert.Equal(t, `"B"`, eval(t, tab, "document.title"))
}

func TestThePageIsNotAskedToEvaluateText(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/csp-self")
	_, err := tab.Evaluate(t.Context(), "let result = eval('1'); result")
	assert.Contains(t, fails(t, err, swarm.ScriptError).Message, "EvalError")
	assert.Equal(t, "2", eval(t, tab, "1 + 1"))
}

func TestScriptsOfATabDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/blank")
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			_, err := tab.Evaluate(t.Context(), "new Promise(r => { window.waiting = (window.waiting || 0) + 1; const look = () => waiting === 8 ? r() : setTimeout(look, 5); look() })")
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}
