package swarm_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func goTo(t *testing.T, tab *swarm.Tab, path string) *swarm.Navigation {
	t.Helper()
	n, err := tab.Goto(within(t, 10*time.Second), site.URL+path, nil)
	require.NoError(t, err, path)
	return n
}

// TestRedirectsOfEveryKindEndAtTheFinalPageOnBoth is B91, and B13's part of it.
func TestRedirectsOfEveryKindEndAtTheFinalPageOnBoth(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	for _, path := range []string{"/t/b", "/t/redirect", "/t/redirect?n=3", "/t/js-redirect", "/t/meta-refresh"} {
		n := goTo(t, tab, path)
		assert.Equal(t, swarm.Navigation{URL: site.URL + "/t/b", Title: "B", HTTPStatus: 200}, *n, path)
		assert.Equal(t, site.URL+"/t/b", tab.URL())
		assert.Equal(t, "B", text(t, tab.Locator("#m")))
	}
	n := goTo(t, tab, "/t/redirect?to=/t/status/404")
	assert.Equal(t, 404, n.HTTPStatus)
	_, err := tab.Goto(t.Context(), site.URL+"/t/loop", nil)
	e := fails(t, err, swarm.NavigationFailed)
	assert.Equal(t, "net::ERR_TOO_MANY_REDIRECTS", e.NetError)
	assert.Equal(t, "B", goTo(t, tab, "/t/b").Title, "the tab can be used")
}

func TestRestoredPagesAreDrivable(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/back")
	_, err := tab.Locator("#go").Click(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
	for range 2 {
		_, _ = tab.Evaluate(t.Context(), "history.back()")
		require.NoError(t, tab.Locator("#go").WaitFor(t.Context(), nil))
		assert.Equal(t, "A", text(t, tab.Locator("#m")))
		_, err = tab.Locator("#go").Click(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, tab.Locator("text=B").WaitFor(t.Context(), nil))
	}
}

// TestANavigationInTheDocumentKeepsItsState is B14.
func TestANavigationInTheDocumentKeepsItsState(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/same-document")
	eval(t, tab, "window.k = 7")
	for _, path := range []string{"/t/same-document#y", "/t/same-document#z", "/t/same-document#x"} {
		began := time.Now()
		n := goTo(t, tab, path)
		assert.True(t, n.SameDocument)
		assert.Zero(t, n.HTTPStatus)
		assert.Equal(t, site.URL+path, n.URL)
		assert.Less(t, time.Since(began), 3*time.Second)
	}
	assert.Equal(t, "7", eval(t, tab, "window.k"))
	_, err := tab.Locator("#p").Click(t.Context(), nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.HasSuffix(tab.URL(), "/route") }, 5*time.Second, 5*time.Millisecond)
	n := goTo(t, tab, "/t/same-document")
	assert.False(t, n.SameDocument)
	assert.Equal(t, "null", eval(t, tab, "window.k"))
	n = goTo(t, tab, "/t/same-document")
	assert.False(t, n.SameDocument, "the same address again is a reload")
}

// TestWhatIsNoPageLeavesTheTabWhereItWas is B11.
func TestWhatIsNoPageLeavesTheTabWhereItWas(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/n/1")
	for path, want := range map[string]swarm.Navigation{
		"/t/dl":                {Download: &swarm.Download{URL: site.URL + "/t/dl", Filename: "a.bin"}},
		"/t/dl/%C3%BC%20b.t":   {Download: &swarm.Download{URL: site.URL + "/t/dl/%C3%BC%20b.t", Filename: "ü b.t"}},
		"/t/204":               {HTTPStatus: 204},
		"/t/redirect?to=/t/dl": {Download: &swarm.Download{URL: site.URL + "/t/dl", Filename: "a.bin"}},
	} {
		began := time.Now()
		n := goTo(t, tab, path)
		want.URL, want.Title = site.URL+"/t/n/1", "1"
		assert.Equal(t, want, *n, path)
		assert.Less(t, time.Since(began), 3*time.Second)
		assert.Equal(t, "1", text(t, tab.Locator("#p")))
	}
	assert.Equal(t, "2", goTo(t, tab, "/t/n/2").Title)
}

// TestAPageThatNeverFinishesLoading is B27.
func TestAPageThatNeverFinishesLoading(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	_, err := tab.Goto(within(t, 800*time.Millisecond), site.URL+"/t/hanging-image", nil)
	e := fails(t, err, swarm.TimeoutError)
	assert.Equal(t, site.URL+"/t/hanging-image", e.URL)
	assert.Contains(t, e.Message, "domcontentloaded")
	assert.Equal(t, "ready", text(t, tab.Locator("#r")))
	n, err := tab.Goto(within(t, 5*time.Second), site.URL+"/t/hanging-image", &swarm.GotoOptions{WaitUntil: swarm.WaitDOMContentLoaded})
	require.NoError(t, err)
	assert.Equal(t, "hanging-image", n.Title)

	_, err = tab.Goto(within(t, 500*time.Millisecond), site.URL+"/t/hang", nil)
	e = fails(t, err, swarm.TimeoutError)
	assert.Contains(t, e.Message, "/t/hang")
	assert.Equal(t, "ready", text(t, tab.Locator("#r")), "nothing came, so the tab is where it was")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err = tab.Goto(ctx, site.URL+"/t/hang", nil)
	fails(t, err, swarm.Cancelled)
	assert.Equal(t, "blank", goTo(t, tab, "/t/blank").Title)
}

func TestWaitUntil(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	_, err := tab.Goto(t.Context(), site.URL+"/t/idle?after=400", &swarm.GotoOptions{WaitUntil: swarm.WaitNetworkIdle0})
	require.NoError(t, err)
	assert.Equal(t, "true", eval(t, tab, "document.body.innerText.includes('done')"))
	_, err = tab.Goto(within(t, 10*time.Second), site.URL+"/t/idle?after=200&open=2", &swarm.GotoOptions{WaitUntil: swarm.WaitNetworkIdle2})
	require.NoError(t, err)
	_, err = tab.Goto(within(t, 1500*time.Millisecond), site.URL+"/t/idle?after=100&open=2", &swarm.GotoOptions{WaitUntil: swarm.WaitNetworkIdle0})
	fails(t, err, swarm.TimeoutError)
	_, err = tab.Goto(t.Context(), site.URL+"/t/blank", &swarm.GotoOptions{WaitUntil: "soon"})
	fails(t, err, swarm.InvalidArgument)
}

func TestAddressesThatAreNotOpened(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/n/1")
	for address, kind := range map[string]swarm.ErrorType{
		"": swarm.InvalidArgument, "example.com": swarm.InvalidArgument, "/t/b": swarm.InvalidArgument, "http://": swarm.InvalidArgument, "http://[": swarm.InvalidArgument,
		"file:///etc/passwd": swarm.URLBlocked, "chrome://settings": swarm.URLBlocked, "view-source:http://a/": swarm.URLBlocked, "javascript:alert(1)": swarm.URLBlocked,
		"FILE:///etc/passwd": swarm.URLBlocked, "devtools://x": swarm.URLBlocked,
		"http://127.0.0.1:1/": swarm.NavigationFailed, "http://no.such.host.invalid/": swarm.NavigationFailed,
	} {
		_, err := tab.Goto(within(t, 10*time.Second), address, nil)
		e := fails(t, err, kind)
		if kind == swarm.NavigationFailed {
			assert.Contains(t, e.NetError, "net::ERR_")
			assert.Contains(t, e.Message, address)
		}
	}
	goTo(t, tab, "/t/n/1")
	for address, title := range map[string]string{"about:blank": "", "data:text/html,<title>data</title>": "data"} {
		n, err := tab.Goto(t.Context(), address, nil)
		require.NoError(t, err, address)
		assert.Equal(t, title, n.Title)
	}
}

// TestAStatusIsNoError is B67 for 401, and the rest of them.
func TestAStatusIsNoErrorOnBoth(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	for path, status := range map[string]int{"/t/status/404": 404, "/t/status/500": 500, "/t/status/503?empty=1": 503, "/t/status/404?empty=1": 404, "/t/401": 401} {
		n := goTo(t, tab, path)
		assert.Equal(t, status, n.HTTPStatus, path)
		assert.Equal(t, site.URL+path, n.URL)
		assert.Equal(t, "2", eval(t, tab, "1 + 1"), path)
	}
	n := goTo(t, tab, "/t/b")
	assert.Equal(t, 200, n.HTTPStatus)
	n, err := tab.Goto(within(t, 10*time.Second), strings.Replace(site.URL, "http://", "http://u:p@", 1)+"/t/401", nil)
	require.NoError(t, err)
	assert.Equal(t, 200, n.HTTPStatus)
	assert.Equal(t, "welcome", n.Title)
	n, err = tab.Goto(within(t, 10*time.Second), strings.Replace(site.OtherURL, "http://", "http://u:wrong@", 1)+"/t/401", nil)
	require.NoError(t, err)
	assert.Equal(t, 401, n.HTTPStatus)
}

// TestCertificates is B68.
func TestCertificates(t *testing.T) {
	t.Parallel()
	secure, err := testsite.StartTLS()
	require.NoError(t, err)
	t.Cleanup(secure.Close)
	tab := lease(t)
	_, err = tab.Goto(t.Context(), secure.URL+"/t/b", nil)
	e := fails(t, err, swarm.NavigationFailed)
	assert.Equal(t, "net::ERR_CERT_AUTHORITY_INVALID", e.NetError)
	assert.Contains(t, e.Message, "--ignore-https-errors")

	trusting := newManager(t, func(c *swarm.Config) { c.TabCount, c.IgnoreHTTPSErrors = 1, true })
	tab, err = trusting.Lease(t.Context(), nil)
	require.NoError(t, err)
	n, err := tab.Goto(t.Context(), secure.URL+"/t/b", nil)
	require.NoError(t, err)
	assert.Equal(t, "B", n.Title)
}

func TestNavigationsOfATabTakeTurns(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	done := make(chan error, 6)
	for range cap(done) {
		go func() {
			_, err := tab.Goto(t.Context(), site.URL+"/t/slow?ms=50", nil)
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}

func TestAServerThatHangsUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	address := server.URL
	server.Close()
	tab := visit(t, "/t/n/1")
	_, err := tab.Goto(t.Context(), address, nil)
	e := fails(t, err, swarm.NavigationFailed)
	assert.Equal(t, "net::ERR_CONNECTION_REFUSED", e.NetError)
	assert.Contains(t, e.Message, "check host and port")
	assert.Equal(t, "2", goTo(t, tab, "/t/n/2").Title)
}
