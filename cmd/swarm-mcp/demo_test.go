package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/cmd/swarm-mcp/internal/crawl"
	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
)

// fakeTools answers each tool with JSON or an error, and notes the calls.
type fakeTools struct {
	answers map[string]string
	errors  map[string]error
	calls   []string
}

func (f *fakeTools) call(_ context.Context, tool string, args map[string]any, out any) ([]byte, error) {
	line := tool
	if id, ok := args["tabId"]; ok {
		line += " " + id.(string)
	}
	f.calls = append(f.calls, line)
	if err := f.errors[tool]; err != nil {
		return nil, err
	}
	var picture []byte
	if tool == "screenshot" {
		picture = []byte("PNG")
	}
	return picture, json.Unmarshal([]byte(f.answers[tool]), out)
}

func newFakeTools() *fakeTools {
	return &fakeTools{
		errors: map[string]error{},
		answers: map[string]string{
			"navigate":    `{"tabId":"tab-1","url":"http://x/","title":"A page"}`,
			"get_content": `{"content":"three  little\nwords"}`,
			"evaluate":    `{"result":["http://x/a","http://x/b"]}`,
			"screenshot":  `{"width":1}`,
			"release_tab": `{"success":true}`,
		},
	}
}

func TestVisitReadsAPageAndGoesOnInItsTab(t *testing.T) {
	tools := newFakeTools()
	dir := t.TempDir()
	v := &visitor{tools: tools, slot: 2, screenshots: dir}
	for range 2 {
		links, err := v.visit(t.Context(), crawl.Page{URL: "http://x/"})
		require.NoError(t, err)
		assert.Equal(t, []string{"http://x/a", "http://x/b"}, links)
	}
	assert.Equal(t, []string{
		"navigate", "get_content tab-1", "evaluate tab-1", "screenshot tab-1",
		"navigate tab-1", "get_content tab-1", "evaluate tab-1",
	}, tools.calls)
	first := v.records[0]
	first.MS = 0
	assert.Equal(t, record{URL: "http://x/", Title: "A page", Status: 200, Tab: "tab-1", Words: 3, Links: 2,
		Screenshot: "screenshots/tab2-page01.png"}, first)
	picture, err := os.ReadFile(filepath.Join(dir, "tab2-page01.png"))
	require.NoError(t, err)
	assert.Equal(t, "PNG", string(picture))
}

func TestVisitTakesACleanTabNowAndThen(t *testing.T) {
	tools := newFakeTools()
	v := &visitor{tools: tools, screenshots: t.TempDir()}
	for range pagesPerLease + 1 {
		_, err := v.visit(t.Context(), crawl.Page{URL: "http://x/"})
		require.NoError(t, err)
	}
	calls := strings.Join(tools.calls, ",")
	assert.Contains(t, calls, "release_tab tab-1,navigate,")
	assert.Equal(t, 1, strings.Count(calls, "release_tab"))
}

func TestVisitDoesNotReadWhatIsNoPage(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		want   record
	}{
		"download":   {`{"tabId":"tab-1","download":{"url":"http://x/f","filename":"f.bin"}}`, record{Status: 200, Download: "f.bin"}},
		"no content": {`{"tabId":"tab-1","http_status":204}`, record{Status: 204}},
	} {
		t.Run(name, func(t *testing.T) {
			tools := newFakeTools()
			tools.answers["navigate"] = test.answer
			v := &visitor{tools: tools}
			links, err := v.visit(t.Context(), crawl.Page{URL: "http://x/f"})
			require.NoError(t, err)
			assert.Empty(t, links)
			assert.Equal(t, []string{"navigate"}, tools.calls)
			test.want.URL, test.want.Tab, test.want.MS = "http://x/f", "tab-1", v.records[0].MS
			assert.Equal(t, test.want, v.records[0])
		})
	}
}

func TestVisitNotesFailuresAndKnowsWhetherTheTabIsGone(t *testing.T) {
	for name, test := range map[string]struct {
		tool    string
		err     error
		before  string // the tab held before
		after   string // and after
		noted   bool   // else it ends the crawl
		problem string
	}{
		"navigation failed":         {"navigate", &toolError{Type: "NAVIGATION_FAILED", Message: "refused"}, "", "", true, "NAVIGATION_FAILED: refused"},
		"failed in a leased tab":    {"navigate", &toolError{Type: "NAVIGATION_FAILED"}, "tab-9", "tab-9", true, "NAVIGATION_FAILED: "},
		"late, with the new lease":  {"navigate", &toolError{Type: "TIMEOUT_ERROR", TabID: "tab-3"}, "", "tab-3", true, "TIMEOUT_ERROR: "},
		"tab crashed while reading": {"get_content", &toolError{Type: "TAB_CRASHED"}, "", "", true, "TAB_CRASHED: "},
		"lease is over":             {"navigate", &toolError{Type: "PAGE_NOT_FOUND", TabID: "tab-9"}, "tab-9", "", true, "PAGE_NOT_FOUND: "},
		"no browser":                {"navigate", &toolError{Type: "BROWSER_UNAVAILABLE"}, "", "", false, ""},
		"server lost":               {"navigate", errors.New("transport closed"), "", "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tools := newFakeTools()
			tools.errors[test.tool] = test.err
			v := &visitor{tools: tools, tabID: test.before}
			_, err := v.visit(t.Context(), crawl.Page{URL: "http://x/"})
			assert.Equal(t, test.after, v.tabID)
			if !test.noted {
				assert.ErrorIs(t, err, test.err)
				assert.Empty(t, v.records)
				return
			}
			require.NoError(t, err)
			require.Len(t, v.records, 1)
			assert.Equal(t, test.problem, v.records[0].Error)
		})
	}
}

func TestResults(t *testing.T) {
	visitors := []*visitor{
		{slot: 1, busy: 3 * time.Second, records: []record{
			{URL: "http://x/", Title: "A | [b]", Status: 200, Screenshot: "screenshots/a.png"},
			{URL: "http://x/404", Status: 404},
			{URL: "http://x/f", Status: 200, Download: "f.bin"},
		}},
		{slot: 2, busy: time.Second, records: []record{{URL: "http://x/bad", Error: "TIMEOUT_ERROR: too late"}}},
	}
	r := collect(visitors, 4*time.Second)
	r.Site = "http://x/"
	assert.Equal(t, [4]int{1, 1, 1, 1}, [4]int{r.Read, r.HTTPErrors, r.Downloads, r.Failures})

	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, r.write(dir, &out))
	assert.True(t, strings.HasPrefix(out.String(), `pages        4
pages/s      1.0
time         4.0 s
http errors  1
downloads    1
failures     1

tab  pages  busy   share
1    3      3.0 s  75 %
2    1      1.0 s  25 %

failed: http://x/bad: TIMEOUT_ERROR: too late
`), out.String())

	lines, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(lines))
	for _, want := range r.Records {
		var got record
		require.NoError(t, decoder.Decode(&got))
		assert.Equal(t, want, got)
	}
	assert.False(t, decoder.More())

	page, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "# Crawl of http://x/\n")
	assert.Contains(t, string(page), `| [A \| \[b\]](<http://x/>) | 200 | 0 | 0 | 0 | [screenshot](screenshots/a.png) |`)
	assert.Contains(t, string(page), "| download f.bin |")
	assert.Contains(t, string(page), "| TIMEOUT_ERROR: too late |")
}

func TestTheBuiltInSiteIsComparedWithWhatItHas(t *testing.T) {
	r := results{Records: []record{
		{URL: "http://x/", Title: "Home", Status: 200},
		{URL: "http://x/gone", Title: "Gone", Status: 404},
		{URL: "http://x/bad", Error: "TIMEOUT_ERROR: too late"},
		{URL: "http://x/other?a=b", Title: "Wrong", Status: 200},
		{URL: "http://x/status", Title: "Status", Status: 500},
	}}
	r.compare("http://x", []testsite.Page{
		{Path: "/", Title: "Home", Status: 200},
		{Path: "/gone", Title: "Gone", Status: 404},
		{Path: "/bad", Title: "Bad", Status: 200},
		{Path: "/other?a=b", Title: "Right", Status: 200},
		{Path: "/status", Title: "Status", Status: 200},
		{Path: "/missed", Status: 200},
	})
	assert.Equal(t, []string{
		`/other?a=b has title "Wrong" instead of "Right"`,
		"/status has status 500 instead of 200",
		"/missed was not found",
	}, r.Unexpected)
}

func TestDemoKeepsOthersSitesRules(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n")
	}))
	defer site.Close()

	plan, err := (&demoCmd{URL: site.URL}).plan(t.Context(), site.URL)
	require.NoError(t, err)
	assert.Equal(t, politeTabs, plan.tabs)
	assert.Equal(t, crawl.NewPace(5*time.Second), plan.pace)
	plan.frontier.Add(site.URL+"/private/x", 1)
	for i := range 2 * politePages {
		plan.frontier.Add(fmt.Sprint(site.URL, "/", i), 1)
	}
	assert.Equal(t, politePages, plan.frontier.Known())

	_, err = (&demoCmd{URL: site.URL + "/private/"}).plan(t.Context(), site.URL+"/private/")
	assert.ErrorContains(t, err, "robots.txt does not allow it")

	own, err := (&demoCmd{}).plan(t.Context(), site.URL)
	require.NoError(t, err)
	assert.Nil(t, own.pace)
	assert.Equal(t, 5, own.tabs)
}

func TestBarWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out, "crawling", 20, false)
	for done := range int64(20) {
		b.set(done+1, 20)
	}
	b.end()
	assert.Equal(t, 11, strings.Count(out.String(), "\n"), out.String())
	assert.True(t, strings.HasSuffix(out.String(), "crawling: 20 of 20\n"))
}
