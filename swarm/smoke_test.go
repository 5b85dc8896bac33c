package swarm_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestSmoke(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204": w.WriteHeader(204); return
		case "/dl": w.Header().Set("Content-Disposition", "attachment; filename=a.bin"); w.Write([]byte("xx")); return
		case "/404": w.WriteHeader(404)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>T</title><button id=b onclick="window.hit=1;setTimeout(()=>confirm('save?'),0)">Buy</button><input id=i><a id=p target=_blank href=/b>pop</a><div style="height:3000px"></div><button id=far onclick="window.far=1">far</button><textarea id=t></textarea>`)
	}))
	defer srv.Close()
	m, err := swarm.New(swarm.Config{Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})), ActionTimeout: 2*time.Second})
	require.NoError(t, err)
	defer m.Close()
	ctx := context.Background()
	t0 := time.Now()
	lap := func(s string, a ...any) { fmt.Println(time.Since(t0).Round(100*time.Microsecond), fmt.Sprintf(s, a...)); t0 = time.Now() }
	tab, err := m.Lease(ctx, nil)
	require.NoError(t, err)
	lap("lease")
	for _, u := range []string{"/", "/404", "/204", "/dl", "/#x"} {
		n, err := tab.Goto(ctx, srv.URL+u, nil)
		lap("goto %s %+v %v", u, n, err)
	}
	for _, s := range []string{"1+1", "({a:1n,b:NaN})", "document.body", "let a=1; a+1", "return 5", "const q = 1;\nfoo.bar", "Promise.reject(new TypeError('boom'))", "() => document.title", "async x => 7", "await Promise.resolve(3)", "function f(){return 1}", "{a:1}", "document.body.getBoundingClientRect()", "JSON.parse('{')", "(()=>{let o={};o.o=o;return o})()", "undefined", "throw new Error('x')", "foo bar", "", "fetch('/404').then(r=>r.status)", "Symbol('a')", "1e6", "document.querySelectorAll('button')", "new Error('x')"} {
		v, err := tab.Evaluate(ctx, s)
		lap("eval %q = %s %v", s, v, err)
	}
	for i := 0; i < 5; i++ {
		r, err := tab.Locator("#b").Click(ctx, nil)
		lap("click %+v %v", r, err)
	}
	r, err := tab.Locator("#far").Click(ctx, nil)
	lap("click far %+v %v", r, err)
	r, err = tab.Locator("#p").Click(ctx, nil)
	lap("click popup %+v %v", r, err)
	_, err = tab.Locator("#nope").Click(ctx, nil)
	lap("click %v", err)
	_, err = tab.Locator("div[").Click(ctx, nil)
	lap("click %v", err)
	for _, s := range []string{"ąč 你好 👨‍👩‍👧 𝒳", "abc"} {
		ty, err := tab.Locator("#i").Type(ctx, s, &swarm.TypeOptions{Clear: true})
		lap("type %+v %v", ty, err)
	}
	ty, err := tab.Locator("#t").Type(ctx, "a\r\nb\tc", nil)
	lap("type %+v %v", ty, err)
	c, err := tab.Content(ctx, nil)
	lap("content %q %v", c, err)
	img, err := tab.Screenshot(ctx, nil)
	lap("shot %d %dx%d %v", len(img.Data), img.Width, img.Height, err)
	img, err = tab.Screenshot(ctx, &swarm.ScreenshotOptions{FullPage: true, Format: swarm.WebP})
	require.NoError(t, err)
	lap("shot %d %dx%d %v", len(img.Data), img.Width, img.Height, err)
	short, cancel := context.WithTimeout(ctx, time.Second)
	_, err = tab.Evaluate(short, "while(true){}")
	cancel()
	lap("loop %v", err)
	v, err := tab.Evaluate(ctx, "1")
	lap("after %s %v", v, err)
	fmt.Printf("%+v\n", m.Status())
	tab.Release()
	_, err = m.Tab("tab-1")
	lap("released %v", err)
	time.Sleep(200*time.Millisecond)
	fmt.Printf("%+v\n", m.Status())
}
