package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		offset, limit int
		want          string
		report        cutReport
	}{
		{0, 5, "aą你👍z", cutReport{}},
		{0, 100, "aą你👍z", cutReport{}},
		{0, 3, "aą你", cutReport{Truncated: true, TotalChars: 5, NextOffset: 3}},
		{3, 1, "👍", cutReport{Truncated: true, TotalChars: 5, NextOffset: 4}},
		{4, 1, "z", cutReport{TotalChars: 5}},
		{3, 9, "👍z", cutReport{TotalChars: 5}},
		{5, 9, "", cutReport{TotalChars: 5}},
		{99, 9, "", cutReport{TotalChars: 5}},
	} {
		got, report := cut("aą你👍z", test.offset, test.limit)
		assert.Equal(t, test.want, got, "%+v", test)
		assert.Equal(t, test.report, report, "%+v", test)
	}
}

func TestCutJSON(t *testing.T) {
	for _, test := range []struct {
		raw    string
		limit  int
		want   string
		report cutReport
	}{
		{``, 10, `null`, cutReport{}},
		{`[1,2,3]`, 7, `[1,2,3]`, cutReport{}},
		{`[1,2,3]`, 5, `"[1,2,"`, cutReport{Truncated: true, TotalChars: 7, NextOffset: 5}},
		{`"ą\"<bc"`, 3, `"ą\"<"`, cutReport{Truncated: true, TotalChars: 5, NextOffset: 3}},
		{`"abc"`, 3, `"abc"`, cutReport{}},
		{`"\ud800"`, 9, `"�"`, cutReport{}},
		{`{"a":"\u003c"}`, 20, `{"a":"<"}`, cutReport{}},
	} {
		got, report, err := cutJSON(json.RawMessage(test.raw), test.limit)
		require.NoError(t, err)
		assert.Equal(t, test.want, string(got), "%+v", test)
		assert.Equal(t, test.report, report, "%+v", test)
	}
}

func TestClip(t *testing.T) {
	assert.Equal(t, "ąąą", clip("ąąą", 3))
	assert.Equal(t, "ąą…", clip("ąąąą", 3))
	assert.Equal(t, "", clip("", 3))
}

func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		`"\u003e\u0026\u003C"`:       `">&<"`,
		`"\\u003e \\\u003e"`:         `"\\u003e \\>"`,
		`"\ud83d\ude00"`:             `"😀"`,
		`"\ud83d"`:                   `"�"`,
		`"\ude00\ud83d\ude00"`:       `"�😀"`,
		`"\ud83d\u0041"`:             `"�A"`,
		`"\u0022\u005c\u000a\u2028"`: `"\u0022\u005c\u000a\u2028"`,
		"\"\xff\"":                   `"�"`,
		`"\u00`:                      `"\u00`,
		`"\`:                         `"\`,
	} {
		assert.Equal(t, want, string(plainJSON([]byte(in))), in)
	}
}

// plainJSON changes how a text is written, not what it says.
func FuzzPlainJSON(f *testing.F) {
	f.Add([]byte(`{"a\u003e":["\ud83d\ude00","\ud800\u0022\\u003e"]}`))
	f.Add([]byte("[\"\xff\xa6\\u2028\"]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := plainJSON(in)
		assert.True(t, utf8.Valid(out))
		var before, after any
		if json.Unmarshal(in, &before) != nil {
			return
		}
		require.NoError(t, json.Unmarshal(out, &after), "%s", out)
		assert.Equal(t, before, after)
	})
}

func TestFailureOf(t *testing.T) {
	full := &swarm.Error{
		Type: swarm.ElementNotInteractable, Op: "click", TabID: "tab-1", FrameID: "f", Selector: "#a >>> b", URL: "http://x/",
		Message: "covered", Reason: "covered", CoveredBy: "<div#overlay>", NetError: "net::ERR_X",
		Candidates: []string{"a"}, Line: 1, Column: 2, Stack: "at x", Log: []string{"looked"}, Err: errors.New("-32000 raw"),
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{full, `{"status":"error","error_type":"ELEMENT_NOT_INTERACTABLE","message":"covered","tabId":"tab-1","frame_id":"f","selector":"#a >>> b","url":"http://x/","reason":"covered","covered_by":"<div#overlay>","net_error":"net::ERR_X","candidates":["a"],"line":1,"column":2,"stack":"at x","log":["looked"]}`},
		{fmt.Errorf("wrapped: %w", &swarm.Error{Type: swarm.PoolExhausted, Message: "m", Err: context.DeadlineExceeded}), `{"status":"error","error_type":"POOL_EXHAUSTED","message":"m"}`},
		{&swarm.Error{Type: swarm.TabCrashed}, `{"status":"error","error_type":"TAB_CRASHED","message":"click failed: tab crashed"}`},
		{fmt.Errorf("x: %w", context.Canceled), `{"status":"error","error_type":"CANCELLED","message":"click was cancelled before it was done"}`},
		{context.DeadlineExceeded, `{"status":"error","error_type":"TIMEOUT_ERROR","message":"click ran out of time; try again with a longer timeout"}`},
		{errors.New("cdp: -32000"), `{"status":"error","error_type":"UNEXPECTED_ERROR","message":"click failed inside the server, whose log has the details; trying again may help"}`},
	} {
		got, err := compactJSON(failureOf("click", test.err))
		require.NoError(t, err)
		assert.Equal(t, test.want, string(got))
	}
}

func TestFailureIsBounded(t *testing.T) {
	long := strings.Repeat("ą", 300_000)
	log := make([]string, 1000)
	for i := range log {
		log[i] = long
	}
	text, err := compactJSON(failureOf("click", &swarm.Error{Type: swarm.InvalidSelector, Message: long, Selector: long, URL: long, Stack: long, Log: log}))
	require.NoError(t, err)
	assert.Less(t, utf8.RuneCount(text), 4*maxErrorText+maxErrorLog*310+200)
}

func TestDialogReport(t *testing.T) {
	var r dialogReport
	r.report(nil)
	assert.Nil(t, r.Dialogs)
	r.report([]swarm.Dialog{{Type: "alert", Message: "a", Accepted: true}})
	r.report([]swarm.Dialog{{Type: "confirm", Message: strings.Repeat("b", 5000)}})
	require.Len(t, r.Dialogs, 2)
	assert.Equal(t, swarm.Dialog{Type: "alert", Message: "a", Accepted: true}, r.Dialogs[0])
	assert.Len(t, r.Dialogs[1].Message, maxErrorText-1+len("…"))
}

func TestPictureComesFirst(t *testing.T) {
	result, err := success(&screenshotResult{MIMEType: "image/png", Width: 2, Height: 1, block: &swarm.Image{Data: []byte("png"), MIMEType: "image/png"}})
	require.NoError(t, err)
	assert.Equal(t, []mcp.Content{mcp.NewImageContent("cG5n", "image/png"), mcp.NewTextContent(`{"mime_type":"image/png","width":2,"height":1}`)}, result.Content)
	result, err = success(&screenshotResult{Image: "cG5n", MIMEType: "image/png", Width: 2, Height: 1})
	require.NoError(t, err)
	assert.Equal(t, []mcp.Content{mcp.NewTextContent(`{"image":"cG5n","mime_type":"image/png","width":2,"height":1}`)}, result.Content)
}
