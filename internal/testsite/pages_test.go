package testsite

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	anchor = regexp.MustCompile(`<a\b[^>]*?\bhref="([^"]*)"`)
	title  = regexp.MustCompile(`<title>([^<]*)</title>`)
	asset  = regexp.MustCompile(`\b(?:src|href)="(/(?:static|img)/[^"]*)"`)
)

// visited is what a crawl found at an address.
type visited struct {
	status            int
	title, body, kind string
}

// crawl follows the plain links from "/".
func crawl(t *testing.T) map[string]visited {
	found := map[string]visited{}
	handler := Handler()
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if _, seen := found[path]; seen {
			continue
		}
		response, body := get(t, handler, path)
		v := visited{status: response.StatusCode, body: body, kind: response.Header.Get("Content-Type")}
		if strings.HasPrefix(v.kind, "text/html") {
			match := title.FindStringSubmatch(body)
			require.NotNil(t, match, "%s has no title", path)
			v.title = html.UnescapeString(match[1])
			for _, link := range anchor.FindAllStringSubmatch(body, -1) {
				if href := html.UnescapeString(link[1]); !strings.HasPrefix(href, "mailto:") {
					queue = append(queue, href)
				}
			}
		}
		found[path] = v
	}
	return found
}

func TestPagesAreWhatACrawlFinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the slow ones too, in no time
		found := crawl(t)
		documents, broken := 0, 0
		kinds := map[string]int{}
		for _, page := range Pages() {
			v, ok := found[page.Path]
			if !assert.True(t, ok, "no link leads to %s, or it is listed twice", page.Path) {
				continue
			}
			delete(found, page.Path)
			assert.Equal(t, page.Title, v.title, page.Path)
			assert.Equal(t, page.Status, v.status, page.Path)
			assert.Equal(t, page.IsHTML(), strings.HasPrefix(v.kind, "text/html"), page.Path)
			kinds[page.Kind]++
			if page.IsHTML() {
				documents++
			}
			if page.Status != http.StatusOK {
				broken++
			}
		}
		for path := range found {
			t.Errorf("Pages does not list %s", path)
		}
		assert.GreaterOrEqual(t, documents, 60)
		assert.Equal(t, 2, broken)
		assert.GreaterOrEqual(t, kinds["product"], 30)
		assert.GreaterOrEqual(t, kinds["article"], 15)
		assert.Equal(t, 5, kinds["slow"])
		t.Logf("%d documents: %v", documents, kinds)
	})
}

func TestPagesAreDocumentsWithTheirAssets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := Handler()
		for path, v := range crawl(t) {
			if !strings.HasPrefix(v.kind, "text/html") {
				continue
			}
			assert.Regexp(t, `(?s)^<!doctype html>\n<html lang="..">.*<meta charset="utf-8">.*</html>\n$`, v.body, path)
			assert.NotContains(t, v.body, "ZgotmplZ", path)
			assert.NotRegexp(t, `(?:src|href)="(?:https?:)?//`, v.body, "%s needs another site", path)
			assert.NotContains(t, v.body, `href="/t/`, path)
			for _, match := range asset.FindAllStringSubmatch(v.body, -1) {
				response, _ := get(t, handler, match[1])
				assert.Equal(t, http.StatusOK, response.StatusCode, match[1])
			}
		}
	})
}

func TestSearchFinds(t *testing.T) {
	for query, want := range map[string]string{
		"umbrella":   "0 products and 0 articles",
		"SENCHA":     "1 products and 0 articles",
		"%EC%9A%B0":  "1 products and 0 articles", // 우
		"%3Cb%3E%22": "0 products and 0 articles for “&lt;b&gt;&#34;”",
	} {
		_, body := get(t, Handler(), "/search?q="+query)
		assert.Contains(t, body, want, query)
	}
}

func TestAnythingElseIsMissing(t *testing.T) {
	response, body := get(t, Handler(), "/no/such/page")
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
	assert.Contains(t, body, "<title>Not found")
}

func TestTheAppHasRowsForEachView(t *testing.T) {
	for _, view := range appViews() {
		name := strings.TrimPrefix(view.Path, "/app/")
		if name == "" {
			name = "overview"
		}
		response, body := get(t, Handler(), "/api/app/"+name)
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"), name)
		assert.Regexp(t, `^\[\[".*"\]\]$`, body, name)
	}
}
