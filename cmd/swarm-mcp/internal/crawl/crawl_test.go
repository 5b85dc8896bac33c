package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func drain(f *Frontier) (pages []string) {
	for p, ok := f.Next(); ok; p, ok = f.Next() {
		pages = append(pages, p.URL)
	}
	return pages
}

func TestFrontierTakesEachPageOfTheOriginOnce(t *testing.T) {
	f, err := NewFrontier("http://Site.test:80", Bounds{})
	require.NoError(t, err)
	for _, link := range []string{
		"http://site.test/", "http://site.test/#top", "http://site.test/a", "http://site.test/a#b",
		"http://site.test/a?q=1", "http://user:pw@site.test/a", "https://site.test/a", "http://other.test/a",
		"http://site.test:8080/a", "mailto:a@site.test", "javascript:void(0)", "::", "",
	} {
		f.Add(link, 1)
	}
	assert.Equal(t, []string{"http://site.test/", "http://site.test/a", "http://site.test/a?q=1"}, drain(f))
}

func TestFrontierKeepsItsBounds(t *testing.T) {
	f, err := NewFrontier("http://site.test/", Bounds{Pages: 3, Depth: 2, Allowed: func(u *url.URL) bool { return u.Path != "/private" }})
	require.NoError(t, err)
	f.Add("http://site.test/deep", 3)
	f.Add("http://site.test/private", 1)
	f.Add("http://site.test/1", 2)
	f.Add("http://site.test/2", 1)
	f.Add("http://site.test/3", 1)
	assert.Equal(t, 3, f.Known())
	assert.Equal(t, []string{"http://site.test/", "http://site.test/1", "http://site.test/2"}, drain(f))
}

func TestFrontierRefusesWhatIsNoSite(t *testing.T) {
	for _, start := range []string{"", "site.test", "ftp://site.test/", "http:///x", "%"} {
		_, err := NewFrontier(start, Bounds{})
		assert.Error(t, err, start)
	}
	_, err := NewFrontier("http://site.test/", Bounds{Allowed: func(*url.URL) bool { return false }})
	assert.EqualError(t, err, "http://site.test/ may not be visited")
}

func TestRunVisitsATreeInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := NewFrontier("http://site.test/", Bounds{Pages: 31})
		require.NoError(t, err)
		var mu sync.Mutex
		visited := map[string]int{}
		lastDone := 0
		began := time.Now()
		err = Run(t.Context(), f, 5, func(_ context.Context, worker int, p Page) ([]string, error) {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			visited[p.URL]++
			return []string{p.URL + "l/", p.URL + "r/", "http://site.test/"}, nil
		}, func(done, known int) {
			assert.Equal(t, lastDone+1, done)
			assert.LessOrEqual(t, done, known)
			lastDone = done
		})
		require.NoError(t, err)
		assert.Len(t, visited, 31)
		assert.Equal(t, 31, lastDone)
		for page, times := range visited {
			assert.Equal(t, 1, times, page)
		}
		// 1, 2 and 4 pages take a second each; then five workers share 24.
		assert.Equal(t, 8*time.Second, time.Since(began))
	})
}

func TestRunEndsWithTheFirstError(t *testing.T) {
	f, err := NewFrontier("http://site.test/", Bounds{})
	require.NoError(t, err)
	broken := errors.New("broken")
	var visits atomic.Int32
	err = Run(t.Context(), f, 3, func(ctx context.Context, worker int, p Page) ([]string, error) {
		if visits.Add(1) == 1 {
			var links []string
			for i := range 20 {
				links = append(links, fmt.Sprint("http://site.test/", i))
			}
			return links, nil
		}
		if worker == 0 {
			<-ctx.Done() // visits that run are cancelled
			return nil, nil
		}
		return nil, broken
	}, func(int, int) {})
	assert.ErrorIs(t, err, broken)
	assert.Less(t, visits.Load(), int32(20))
}

func TestRunEndsWithItsContext(t *testing.T) {
	f, err := NewFrontier("http://site.test/", Bounds{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	err = Run(ctx, f, 2, func(ctx context.Context, _ int, p Page) ([]string, error) {
		cancel()
		return []string{p.URL + "next/"}, nil
	}, func(int, int) {})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPaceKeepsItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPace(time.Second)
		began := time.Now()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { assert.NoError(t, p.Wait(t.Context())) })
		}
		all.Wait()
		assert.Equal(t, 3*time.Second, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.Wait(ctx), context.Canceled)
	})
}

func TestRobots(t *testing.T) {
	for name, test := range map[string]struct {
		status  int
		body    string
		allowed map[string]bool
		delay   time.Duration
	}{
		"rules for all": {200, "User-agent: *\nDisallow: /private\nCrawl-delay: 3\n",
			map[string]bool{"/": true, "/private/x": false, "/x?a=/private": true}, 3 * time.Second},
		"rules for us": {200, "User-agent: *\nDisallow: /\n\nUser-agent: swarm-mcp\nDisallow: /no\n",
			map[string]bool{"/": true, "/no?x": false}, 0},
		"none":   {404, "", map[string]bool{"/": true}, 0},
		"broken": {503, "", map[string]bool{"/": false}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/robots.txt", r.URL.Path)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer site.Close()
			robots, err := FetchRobots(t.Context(), site.Client(), site.URL+"/deep/page?x=y")
			require.NoError(t, err)
			assert.Equal(t, test.delay, robots.Delay())
			for page, want := range test.allowed {
				u, err := url.Parse(site.URL + page)
				require.NoError(t, err)
				assert.Equal(t, want, robots.Allowed(u), page)
			}
		})
	}
	_, err := FetchRobots(t.Context(), http.DefaultClient, "http://127.0.0.1:1/")
	assert.ErrorContains(t, err, "read robots.txt")
}
