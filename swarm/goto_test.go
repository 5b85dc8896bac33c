package swarm_test

import (
	"bytes"
	"image"
	"image/color"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestGotoFollowsRedirectsOfEveryKindToTheirEnd(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	for _, path := range []string{"/t/redirect?n=2&to=" + url.QueryEscape("/t/b"), "/t/js-redirect", "/t/meta-refresh"} {
		n, err := tab.Goto(t.Context(), site.URL+path, nil)
		require.NoError(t, err, path)
		assert.Equal(t, site.URL+"/t/b", n.URL, path)
		text, err := tab.Locator("#m").Text(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "B", text, path)
	}
}

func TestGotoTellsTheStatusAndKeepsThePageThatIsThere(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/n/1")
	for path, want := range map[string]swarm.Navigation{
		"/t/204": {URL: site.URL + "/t/n/1", Title: "1", HTTPStatus: 204},
		"/t/dl":  {URL: site.URL + "/t/n/1", Title: "1", Download: &swarm.Download{URL: site.URL + "/t/dl", Filename: "a.bin"}},
	} {
		n, err := tab.Goto(t.Context(), site.URL+path, nil)
		require.NoError(t, err, path)
		assert.Equal(t, want, *n, path)
	}
	for path, status := range map[string]int{"/t/401": 401, "/t/status/404": 404, "/t/status/500?empty=1": 500, "/t/n/2": 200} {
		n, err := tab.Goto(t.Context(), site.URL+path, nil)
		require.NoError(t, err, path)
		assert.Equal(t, status, n.HTTPStatus, path)
	}
}

func TestGotoWithinTheDocumentKeepsIt(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/n/1")
	eval(t, tab, "window.k = 7")
	n, err := tab.Goto(t.Context(), site.URL+"/t/n/1#y", nil)
	require.NoError(t, err)
	assert.True(t, n.SameDocument)
	assert.Equal(t, site.URL+"/t/n/1#y", n.URL)
	assert.Equal(t, "7", eval(t, tab, "window.k"))
}

func TestGotoFailsWithTheReason(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	_, err := tab.Goto(t.Context(), site.URL+"/t/loop", nil)
	assert.Equal(t, "net::ERR_TOO_MANY_REDIRECTS", fails(t, err, swarm.NavigationFailed).NetError)
	_, err = tab.Goto(t.Context(), "http://127.0.0.1:9/", nil)
	e := fails(t, err, swarm.NavigationFailed)
	assert.Contains(t, e.NetError, "net::ERR_")
	assert.Contains(t, e.Message, "http://127.0.0.1:9/")
	_, err = tab.Goto(within(t, 300*time.Millisecond), site.URL+"/t/hang", nil)
	assert.Empty(t, fails(t, err, swarm.TimeoutError).URL, "no document had arrived")
	_, err = tab.Goto(within(t, time.Second), site.URL+"/t/hanging-image", nil)
	assert.Equal(t, site.URL+"/t/hanging-image", fails(t, err, swarm.TimeoutError).URL)
	text, err := tab.Locator("#r").Text(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "ready", text)
	_, err = tab.Goto(t.Context(), site.URL+"/t/hanging-image", &swarm.GotoOptions{WaitUntil: swarm.WaitDOMContentLoaded})
	require.NoError(t, err)
	for address, kind := range map[string]swarm.ErrorType{"example.com": swarm.InvalidArgument, "http://": swarm.InvalidArgument, "file:///etc/passwd": swarm.URLBlocked, "chrome://version": swarm.URLBlocked, "javascript:1": swarm.URLBlocked} {
		_, err = tab.Goto(t.Context(), address, nil)
		fails(t, err, kind)
	}
	_, err = tab.Goto(t.Context(), site.URL, &swarm.GotoOptions{WaitUntil: "never"})
	fails(t, err, swarm.InvalidArgument)
}

func TestCertificatesThatDoNotVerify(t *testing.T) {
	secure, err := testsite.StartTLS()
	require.NoError(t, err)
	t.Cleanup(secure.Close)
	_, err = lease(t).Goto(t.Context(), secure.URL+"/t/blank", nil)
	e := fails(t, err, swarm.NavigationFailed)
	assert.Equal(t, "net::ERR_CERT_AUTHORITY_INVALID", e.NetError)
	assert.Contains(t, e.Message, "--ignore-https-errors")

	m := newManager(t, func(c *swarm.Config) { c.IgnoreHTTPSErrors = true })
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	n, err := tab.Goto(t.Context(), secure.URL+"/t/n/5", nil)
	require.NoError(t, err)
	assert.Equal(t, "5", n.Title)
}

func TestUserAgentAndViewport(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) {
		c.UserAgent, c.Viewport, c.TabCount = "swarm-test/1", swarm.Viewport{Width: 500, Height: 400}, 1
	})
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = tab.Goto(t.Context(), site.URL+"/t/echo", nil)
	require.NoError(t, err)
	text, err := tab.Content(t.Context(), nil)
	require.NoError(t, err)
	assert.Contains(t, text, "swarm-test/1")
	assert.Equal(t, `["swarm-test/1",500,400]`, eval(t, tab, "[navigator.userAgent, innerWidth, innerHeight]"))
}

func TestScreenshotOfTheViewportAnElementAndTheWholePageOnBoth(t *testing.T) {
	t.Parallel()
	tab := show(t, `<style>body{margin:0;background:#00f}</style><div style="height:2000px"></div><div id=r style="width:60px;height:40px;background:#f00;margin:10px"></div><div style="height:40000px"></div>`)
	eval(t, tab, "scrollTo(0, 300)")
	for _, c := range []struct {
		name          string
		opts          swarm.ScreenshotOptions
		width, height int
		middle        color.RGBA
	}{
		{"viewport", swarm.ScreenshotOptions{}, 1280, 720, color.RGBA{0, 0, 255, 255}},
		{"element", swarm.ScreenshotOptions{Selector: "#r"}, 60, 40, color.RGBA{255, 0, 0, 255}},
		{"whole page", swarm.ScreenshotOptions{FullPage: true}, 0, swarm.MaxImageSide, color.RGBA{0, 0, 255, 255}},
	} {
		got, err := tab.Screenshot(t.Context(), &c.opts)
		require.NoError(t, err, c.name)
		picture, _, err := image.Decode(bytes.NewReader(got.Data))
		require.NoError(t, err)
		size := picture.Bounds()
		assert.Equal(t, []int{got.Width, got.Height}, []int{size.Dx(), size.Dy()}, c.name)
		assert.Equal(t, c.height, got.Height, c.name)
		if c.width != 0 {
			assert.Equal(t, c.width, got.Width, c.name)
		} else {
			assert.Less(t, got.Scale, 1.0, c.name)
		}
		assert.Equal(t, c.middle, color.RGBAModel.Convert(picture.At(size.Dx()/2, size.Dy()/2)), c.name)
		if c.opts.FullPage {
			assert.Equal(t, "[1280,720]", eval(t, tab, "[innerWidth, innerHeight]"), "the page is not resized")
		}
	}
	_, err := tab.Screenshot(t.Context(), &swarm.ScreenshotOptions{FullPage: true, Selector: "#r"})
	fails(t, err, swarm.InvalidArgument)
	for _, format := range []swarm.ImageFormat{swarm.JPEG, swarm.WebP} {
		got, err := tab.Screenshot(t.Context(), &swarm.ScreenshotOptions{Format: format, Quality: 50})
		require.NoError(t, err)
		assert.Equal(t, "image/"+string(format), got.MIMEType)
		assert.Equal(t, []int{1280, 720}, []int{got.Width, got.Height})
	}
}

func TestContentOfDocumentsOfEveryKind(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/json")
	text, err := tab.Content(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, byte('{'), text[0], "JSON as it is: %q", text)

	tab = show(t, `<style>.h{display:none}</style><script>var s='SCRIPT'</script><noscript>NOS</noscript><template>TPL</template><h1>Head</h1><p>a<br>b</p><p class=h>HID</p><a href="/t/b">link</a>`)
	text, err = tab.Content(t.Context(), nil)
	require.NoError(t, err)
	assert.Contains(t, text, "a\nb")
	for _, hidden := range []string{"SCRIPT", "NOS", "TPL", "HID"} {
		assert.NotContains(t, text, hidden)
	}
	text, err = tab.Content(t.Context(), &swarm.ContentOptions{Type: swarm.ContentMarkdown})
	require.NoError(t, err)
	assert.Contains(t, text, "# Head")
	assert.Contains(t, text, "[link]("+site.URL+"/t/b)")
	assert.NotContains(t, text, "HID")
	text, err = tab.Content(t.Context(), &swarm.ContentOptions{Type: swarm.ContentHTML, Selector: "p"})
	require.NoError(t, err)
	assert.Equal(t, "<p>a<br>b</p>", text)
	_, err = tab.Content(t.Context(), &swarm.ContentOptions{Type: "pdf"})
	fails(t, err, swarm.InvalidArgument)
}
