package e2e_test

import (
	"encoding/base64"
	"fmt"
	"image"
	_ "image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTypeDeliversEveryCharacterOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/n/1")
	for _, text := range []string{"ąč 你好 👨‍👩‍👧 𝒳", "plain text", "e\u0301\u3000x", "a"} {
		o := s.ok("type", args{"tabId": tab, "selector": "#i", "text": text, "clear": true})
		assert.Equal(t, map[string]any{"success": true}, o)
		assert.Equal(t, text, s.eval(tab, "document.querySelector('#i').value"))
	}
}

func TestEvaluateAsTheContractHasItOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/covered")
	for script, want := range map[string]any{
		"NaN": "NaN", "10n": "10n", "undefined": nil, "null": nil, "1+1": 2.0, "document.querySelector('#b')": "<button#b>",
		"(() => { const o = {a: 1}; o.self = o; return o; })()": map[string]any{"a": 1.0, "self": "[Circular]"},
		"Promise.resolve(3)": 3.0, "await Promise.resolve(4)": 4.0, "let x = 5; x + 1": 6.0, "return 7": 7.0, "() => 8": 8.0, "async function f() { return 9 }": 9.0,
	} {
		assert.Equal(t, want, s.eval(tab, script), script)
	}
	o := s.fails("SCRIPT_ERROR", "evaluate", args{"tabId": tab, "script": "Promise.reject(new TypeError('boom'))"})
	assert.Contains(t, o["message"], "boom")
	o = s.fails("SCRIPT_ERROR", "evaluate", args{"tabId": tab, "script": "1;\n  nothing.here"})
	assert.Equal(t, 2.0, o["line"])
	began := time.Now()
	s.fails("TIMEOUT_ERROR", "evaluate", args{"tabId": tab, "script": "while(true){}", "timeout": 1000})
	assert.Less(t, time.Since(began), 8*time.Second)
	s.fails("TIMEOUT_ERROR", "evaluate", args{"tabId": tab, "script": "new Promise(() => {})", "timeout": 300})
	assert.Equal(t, 1.0, s.eval(tab, "1"), "the tab is usable after each")
}

func TestClickTellsWhatItDidOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=2", "--action-timeout=2s")
	tab := s.open("/t/covered")
	o := s.fails("ELEMENT_NOT_INTERACTABLE", "click", args{"tabId": tab, "selector": "#b"})
	assert.Equal(t, "covered", o["reason"])
	assert.Contains(t, o["message"], "div#ov")
	assert.Equal(t, []any{nil, nil}, s.eval(tab, "[window.hit, window.wrong]"), "nothing was clicked")

	s.ok("navigate", args{"url": site.URL + "/t/dialog?type=confirm", "tabId": tab})
	o = s.ok("click", args{"tabId": tab, "selector": "button"})
	dialog, _ := o["dialog"].(map[string]any)
	assert.Equal(t, "confirm", dialog["type"], "%v", o)

	s.ok("navigate", args{"url": site.URL + "/t/popups", "tabId": tab})
	o = s.ok("click", args{"tabId": tab, "selector": "#w"})
	opened, _ := o["opened"].([]any)
	require.Len(t, opened, 1, "%v", o)
	s.ok("wait_for_selector", args{"tabId": opened[0], "selector": "#m"})
	assert.Equal(t, "B", s.ok("get_content", args{"tabId": opened[0], "selector": "#m"})["content"])
	s.ok("release_tab", args{"tabId": tab})
	s.fails("PAGE_NOT_FOUND", "evaluate", args{"tabId": opened[0], "script": "1"})
}

func TestADialogDuringTheLoadDoesNotHoldNavigate(t *testing.T) {
	s := ready(t, "--tab-count=1")
	began := time.Now()
	o := s.ok("navigate", args{"url": site.URL + "/t/dialogs-onload", "timeout": 10000})
	assert.Less(t, time.Since(began), 9*time.Second)
	assert.NotEmpty(t, o["dialogs"], "%v", o)
}

func TestNavigateTellsFilesEmptyAnswersAndFailuresApart(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/n/1")
	o := s.ok("navigate", args{"url": site.URL + "/t/dl", "tabId": tab})
	assert.Equal(t, "a.bin", o["download"].(map[string]any)["filename"], "%v", o)
	assert.Equal(t, site.URL+"/t/n/1", o["url"])
	o = s.ok("navigate", args{"url": site.URL + "/t/204", "tabId": tab})
	assert.Equal(t, 204.0, o["http_status"])
	assert.Equal(t, "1", o["title"], "the page is still the one before")
	o = s.ok("navigate", args{"url": site.URL + "/t/status/404", "tabId": tab})
	assert.Equal(t, 404.0, o["http_status"])
	o = s.fails("NAVIGATION_FAILED", "navigate", args{"url": site.URL + "/t/loop", "tabId": tab})
	assert.Equal(t, "net::ERR_TOO_MANY_REDIRECTS", o["net_error"])
	s.fails("URL_BLOCKED", "navigate", args{"url": "file:///etc/passwd", "tabId": tab})
	s.fails("INVALID_ARGUMENT", "navigate", args{"url": "example.com", "tabId": tab})
	s.ok("release_tab", args{"tabId": tab})

	s.fails("NAVIGATION_FAILED", "navigate", args{"url": "http://127.0.0.1:9/"})
	s.fails("TIMEOUT_ERROR", "navigate", args{"url": site.URL + "/t/slow?ms=60000", "timeout": 300})
	require.Eventually(t, func() bool { return s.status() == [3]int{1, 1, 0} }, 10*time.Second, 20*time.Millisecond, "a failed navigation gives its lease back")
	o = s.fails("TIMEOUT_ERROR", "navigate", args{"url": site.URL + "/t/hanging-image", "timeout": 1500})
	require.NotEmpty(t, o["tabId"], "the document had arrived: %v", o)
	assert.Equal(t, "ready", s.ok("get_content", args{"tabId": o["tabId"], "selector": "#r"})["content"])
}

func TestContentIsCutAndReadOn(t *testing.T) {
	s := ready(t, "--tab-count=1", "--max-chars=1000")
	tab := s.open("/t/rows?n=1000")
	var text strings.Builder
	offset := 0.0
	for {
		o := s.ok("get_content", args{"tabId": tab, "offset": offset})
		text.WriteString(o["content"].(string))
		if o["truncated"] != true {
			break
		}
		offset = o["next_offset"].(float64)
	}
	whole := s.eval(tab, "document.body.innerText.length")
	assert.Equal(t, whole, float64(len([]rune(text.String()))), "every character once")
	assert.Contains(t, s.ok("get_content", args{"tabId": tab, "type": "html", "max_chars": 100})["content"], "<!")
	assert.NotEmpty(t, s.ok("get_content", args{"tabId": tab, "type": "markdown"})["content"])
}

func TestScreenshotIsAnImageBlockAheadOfItsObjectOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=1", "--viewport=640x480")
	tab := s.open("/t/colour/ff0000")
	r := s.call("screenshot", args{"tabId": tab})
	require.False(t, r.IsError, r.Text)
	assert.Equal(t, []string{"image", "text"}, r.order)
	assert.Equal(t, "image/png", r.PictureType)
	data, err := base64.StdEncoding.DecodeString(r.Picture)
	require.NoError(t, err)
	picture, format, err := image.Decode(strings.NewReader(string(data)))
	require.NoError(t, err)
	assert.Equal(t, "png", format)
	assert.Equal(t, image.Rect(0, 0, 640, 480), picture.Bounds())
	red, green, _, _ := picture.At(320, 240).RGBA()
	assert.Equal(t, []uint32{0xffff, 0}, []uint32{red, green})
	r = s.call("screenshot", args{"page_id": tab, "full_page": true, "format": "jpeg"})
	assert.Equal(t, "image/jpeg", r.PictureType, r.Text)
}

func TestScreenshotAsJSON(t *testing.T) {
	s := ready(t, "--tab-count=1", "--screenshot-as=json")
	tab := s.open("/t/blank")
	assert.NotEmpty(t, s.ok("screenshot", args{"tabId": tab})["image"])
	assert.NotEmpty(t, s.ok("screenshot", args{"page_id": tab})["image_base64"])
}

func TestWaitForSelector(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/late?ms=300")
	s.ok("wait_for_selector", args{"tabId": tab, "selector": "button", "state": "visible", "timeout": 10000})
	began := time.Now()
	s.fails("TIMEOUT_ERROR", "wait_for_selector", args{"tabId": tab, "selector": "#nope", "timeout": 700})
	assert.Greater(t, time.Since(began), 500*time.Millisecond)
	s.fails("INVALID_SELECTOR", "wait_for_selector", args{"tabId": tab, "selector": "div["})
}

func TestIdleLeasesAreReclaimed(t *testing.T) {
	s := ready(t, "--tab-count=1", "--idle-timeout=500ms")
	tab := s.open("/t/blank")
	require.Eventually(t, func() bool { return s.status() == [3]int{1, 1, 0} }, 10*time.Second, 20*time.Millisecond)
	o := s.fails("PAGE_NOT_FOUND", "evaluate", args{"tabId": tab, "script": "1"})
	assert.Contains(t, o["message"], "reclaimed")
}

func TestBadInputIsAClearErrorAndNothingIsLost(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/n/1")
	list := s.request("tools/list", nil)
	require.Nil(t, list.Error)
	for _, tool := range []string{"navigate", "get_content", "screenshot", "click", "type", "evaluate", "wait_for_selector", "release_tab"} {
		for _, bad := range []args{
			{}, {"tabId": 5}, {"tabId": nil}, {"tabId": tab, "nonsense": 1}, {"tabId": []int{1}}, {"url": 5}, {"tabId": tab, "selector": 5, "text": true, "script": nil, "url": "x"},
			{"tabId": tab, "timeout": "soon"}, {"tabId": tab, "timeout": -1}, {"tabId": tab, "timeout": 1e300}, {"tabId": tab, "offset": -1},
		} {
			s.fails("INVALID_ARGUMENT", tool, bad)
		}
		if tool != "navigate" {
			s.fails("PAGE_NOT_FOUND", tool, valid(tool, "tab-999"))
			s.fails("PAGE_NOT_FOUND", tool, valid(tool, strings.Repeat("x", 100_000)))
		}
	}
	for _, line := range []string{"{", "null", "[]", `{"jsonrpc":"2.0"}`, `"x"`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, strings.Repeat("x", 1<<20), "\x00\xff"} {
		s.write(line)
	}
	require.NotNil(t, s.request("tools/call", map[string]any{"name": "no_such_tool", "arguments": args{}}).Error)
	require.NotNil(t, s.request("no/such/method", nil).Error)

	s.ok("navigate", args{"url": site.URL + "/t/editable", "tabId": tab})
	s.ok("navigate", args{"url": site.URL + "/t/form", "tabId": tab})
	long := strings.Repeat("0123456789", 30_000)
	s.ok("type", args{"tabId": tab, "selector": "textarea", "text": long, "clear": true})
	assert.Equal(t, float64(len(long)), s.eval(tab, "document.querySelector('textarea').value.length"))
	o := s.ok("evaluate", args{"tabId": tab, "script": "'x'.repeat(3e6)"})
	assert.Equal(t, true, o["truncated"])
	assert.LessOrEqual(t, len(o["result"].(string)), 40_000)
	assert.Equal(t, [3]int{1, 0, 1}, s.status(), "the lease is still there")
}

// valid are arguments that a tool would take, were there such a tab.
func valid(tool, tab string) args {
	return map[string]args{
		"get_content": {"tabId": tab}, "screenshot": {"tabId": tab}, "click": {"tabId": tab, "selector": "a"}, "type": {"tabId": tab, "selector": "a", "text": "x"},
		"evaluate": {"tabId": tab, "script": "1"}, "wait_for_selector": {"tabId": tab, "selector": "a"}, "release_tab": {"tabId": tab},
	}[tool]
}

func TestACallBeforeInitializeIsAnErrorAndTheServerLives(t *testing.T) {
	s := start(t, "--tab-count=1")
	m := s.request("tools/call", map[string]any{"name": "get_pool_status", "arguments": args{}})
	require.NotNil(t, m.Error)
	s.initialize()
	assert.Equal(t, 1, s.status()[0])
}

func TestManyCallsOnOneTabTakeTurns(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/form")
	s.ok("type", args{"tabId": tab, "selector": "textarea", "text": "", "clear": true})
	var answers []<-chan message
	for i := range 10 {
		answers = append(answers, s.sendCall("type", args{"tabId": tab, "selector": "textarea", "text": fmt.Sprintf("<%d>", i)}))
	}
	for _, c := range answers {
		r := s.parse("type", s.await(c, "type"))
		require.False(t, r.IsError, r.Text)
	}
	value := s.eval(tab, "document.querySelector('textarea').value").(string)
	for i := range 10 {
		assert.Contains(t, value, fmt.Sprintf("<%d>", i), "no text is mixed into another")
	}
}
