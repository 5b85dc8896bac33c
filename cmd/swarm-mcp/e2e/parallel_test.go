package e2e_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFourScriptsRunAtOnceOnVisibleFocusedPaintingTabsOnBoth(t *testing.T) {
	s := ready(t, "--tab-count=4")
	var tabs []string
	for range 4 {
		tabs = append(tabs, s.open("/t/raf"))
	}
	const script = `(async () => {
		const begin = Date.now();
		let frames = 0;
		const count = () => { frames++; requestAnimationFrame(count); };
		requestAnimationFrame(count);
		await new Promise((r) => setTimeout(r, 1000));
		return { begin, end: Date.now(), visible: document.visibilityState, focused: document.hasFocus(), frames };
	})()`
	began := time.Now()
	var answers []<-chan message
	for _, tab := range tabs {
		answers = append(answers, s.sendCall("evaluate", args{"tabId": tab, "script": script}))
	}
	lastBegin, firstEnd := 0.0, 1e18
	for _, c := range answers {
		r := s.parse("evaluate", s.await(c, "evaluate"))
		require.False(t, r.IsError, r.Text)
		v := r.Object["result"].(map[string]any)
		assert.Equal(t, "visible", v["visible"])
		assert.Equal(t, true, v["focused"])
		assert.Greater(t, v["frames"], 10.0)
		lastBegin, firstEnd = max(lastBegin, v["begin"].(float64)), min(firstEnd, v["end"].(float64))
	}
	assert.Less(t, lastBegin, firstEnd, "all four ran at the same time")
	assert.Less(t, time.Since(began), 4*time.Second, "one after another they take four seconds")
}

func TestFiveNavigationsAtOnceAndTheSixthGetsTheReleasedTab(t *testing.T) {
	s := ready(t)
	require.Eventually(t, func() bool { return s.status() == [3]int{5, 5, 0} }, 30*time.Second, 20*time.Millisecond)
	began := time.Now()
	var answers []<-chan message
	for i := range 5 {
		answers = append(answers, s.sendCall("navigate", args{"url": fmt.Sprintf("%s/t/slow?ms=800&title=page%d", site.URL, i)}))
	}
	ids := map[string]bool{}
	var first string
	for i, c := range answers {
		r := s.parse("navigate", s.await(c, "navigate"))
		require.False(t, r.IsError, r.Text)
		assert.Equal(t, fmt.Sprintf("page%d", i), r.Object["title"])
		first = r.Object["tabId"].(string)
		ids[first] = true
	}
	assert.Less(t, time.Since(began), 5*800*time.Millisecond, "one after another they take four seconds")
	assert.Len(t, ids, 5)
	assert.Equal(t, [3]int{5, 0, 5}, s.status())

	sixth := s.sendCall("navigate", args{"url": site.URL + "/t/n/6"})
	select {
	case m := <-sixth:
		require.Fail(t, "the sixth did not wait", "%s", m.Result)
	case <-time.After(300 * time.Millisecond):
	}
	s.ok("release_tab", args{"tabId": first})
	r := s.parse("navigate", s.await(sixth, "navigate"))
	require.False(t, r.IsError, r.Text)
	assert.Equal(t, "6", r.Object["title"])
	assert.False(t, ids[r.Object["tabId"].(string)], "an id is never used again")
	s.fails("PAGE_NOT_FOUND", "evaluate", args{"tabId": first, "script": "1"})
}

func TestAFullPoolSaysSo(t *testing.T) {
	s := ready(t, "--tab-count=1", "--lease-timeout=300ms")
	require.Eventually(t, func() bool { return !s.call("navigate", args{"url": "about:blank"}).IsError }, 20*time.Second, 20*time.Millisecond,
		"the browser is up; its start takes longer than such a lease timeout")
	tab := "tab-1"
	o := s.fails("POOL_EXHAUSTED", "navigate", args{"url": site.URL + "/t/blank"})
	assert.Contains(t, o["message"], tab)
	assert.Equal(t, [3]int{1, 0, 1}, s.status())
}

func TestTwoHundredVisitsByEightCallersWithoutOneWrongTitle(t *testing.T) {
	s := ready(t, "--tab-count=4", "--lease-timeout=60s")
	var callers sync.WaitGroup
	wrong := make(chan string, 200)
	for caller := range 8 {
		callers.Go(func() {
			for round := range 25 {
				want := fmt.Sprint(caller*1000 + round)
				m, ok := <-s.sendCall("navigate", args{"url": site.URL + "/t/n/" + want})
				if !ok {
					wrong <- "the server exited"
					return
				}
				r := s.parse("navigate", m)
				if r.IsError {
					wrong <- r.Text
					continue
				}
				if r.Object["title"] != want {
					wrong <- fmt.Sprint("wanted ", want, " got ", r.Text)
				}
				s.parse("release_tab", <-s.sendCall("release_tab", args{"tabId": r.Object["tabId"]}))
			}
		})
	}
	callers.Wait()
	close(wrong)
	for w := range wrong {
		assert.Fail(t, w)
	}
	assert.Equal(t, [3]int{4, 4, 0}, s.status())
}

func TestSlowCallsDoNotHoldUpQuickOnes(t *testing.T) {
	s := ready(t, "--tab-count=4")
	slow, quick := []string{s.open("/t/blank"), s.open("/t/blank")}, []string{s.open("/t/blank"), s.open("/t/blank")}
	var waits []string
	for _, tab := range slow {
		for range 6 {
			id, _ := s.send("tools/call", map[string]any{"name": "wait_for_selector", "arguments": args{"tabId": tab, "selector": "#never", "timeout": 60000}})
			waits = append(waits, id)
		}
	}
	for range 6 {
		for _, tab := range quick {
			assert.Equal(t, 1.0, s.eval(tab, "1"))
		}
	}
	require.Nil(t, s.request("ping", nil).Error)
	for _, id := range waits {
		s.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	for _, tab := range slow {
		assert.Equal(t, 1.0, s.eval(tab, "1"), "a cancelled wait leaves the tab usable")
	}
}

func TestNothingPassesFromOneLeaseToTheNext(t *testing.T) {
	s := ready(t, "--tab-count=1")
	tab := s.open("/t/set-cookie?k=secret")
	s.eval(tab, "localStorage.k = sessionStorage.k = window.name = 'secret'; open('/t/blank'); 1")
	s.ok("release_tab", args{"tabId": tab})
	tab = s.open("/t/cookies")
	found := s.eval(tab, "JSON.stringify([document.body.innerText, document.cookie, localStorage.k, sessionStorage.k, window.name])")
	assert.NotContains(t, found, "secret")
	assert.Equal(t, [3]int{1, 0, 1}, s.status())
}
