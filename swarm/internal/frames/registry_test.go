package frames

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The events of a hand-over, by hand, for the orders that no log has.

func apply(r *Registry, s target.SessionID, method, format string, args ...any) {
	r.Apply(s, method, jsonv2.Value(fmt.Sprintf(format, args...)))
}

func attach(r *Registry, s, id, parent string) {
	apply(r, target.SessionID(s), "Page.frameAttached", `{"frameId":%q,"parentFrameId":%q}`, id, parent)
}

func commit(r *Registry, s, id, parent, loader string) {
	apply(r, target.SessionID(s), "Page.frameNavigated", `{"frame":{"id":%q,"parentId":%q,"loaderId":%q,"url":"http://%s/"},"type":"Navigation"}`,
		id, parent, loader, loader)
}

func detachFrame(r *Registry, s, id, reason string) {
	apply(r, target.SessionID(s), "Page.frameDetached", `{"frameId":%q,"reason":%q}`, id, reason)
}

func moveOut(r *Registry, s, child, id string) {
	apply(r, target.SessionID(s), "Target.attachedToTarget", `{"sessionId":%q,"targetInfo":{"targetId":%q,"type":"iframe"},"waitingForDebugger":true}`,
		child, id)
}

func endSession(r *Registry, s, child string) {
	apply(r, target.SessionID(s), "Target.detachedFromTarget", `{"sessionId":%q}`, child)
}

func lifecycle(r *Registry, s, id, loader string, m Mark) {
	apply(r, target.SessionID(s), "Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":%q}`, id, loader, m)
}

func world(r *Registry, s, id, context string) {
	apply(r, target.SessionID(s), "Runtime.executionContextCreated",
		`{"context":{"uniqueId":%q,"name":"swarm","auxData":{"frameId":%q,"isDefault":false,"type":"isolated"}}}`, context, id)
}

func get(t *testing.T, r *Registry, id cdp.FrameID) Frame {
	t.Helper()
	f, ok := r.Frame(id)
	require.True(t, ok, "%s is there", id)
	return f
}

// withFrame is a tab whose page L1 has the frame F2, which shows LA and is hosted by S1.
func withFrame() *Registry {
	r := newTab()
	commit(r, "S1", "F1", "", "L1")
	attach(r, "S1", "F2", "F1")
	commit(r, "S1", "F2", "F1", "LA")
	world(r, "S1", "F2", "CA")
	return r
}

func TestFrameMovesOutInEitherOrder(t *testing.T) {
	for name, steps := range map[string][]func(*Registry){
		"session first": {
			func(r *Registry) { moveOut(r, "S1", "S2", "F2") },
			func(r *Registry) { detachFrame(r, "S1", "F2", "swap") },
		},
		"swap first": {
			func(r *Registry) { detachFrame(r, "S1", "F2", "swap") },
			func(r *Registry) { moveOut(r, "S1", "S2", "F2") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := withFrame()
			attach(r, "S1", "F3", "F2")
			for _, step := range steps {
				step(r)
				assert.Empty(t, get(t, r, "F2").WorldContext, "no context of a process that lost the frame")
			}
			commit(r, "S2", "F2", "F1", "LB")
			f := get(t, r, "F2")
			assert.Equal(t, target.SessionID("S2"), f.Session)
			assert.Equal(t, cdp.FrameID("F1"), f.Parent)
			assert.Equal(t, cdp.LoaderID("LB"), f.Loader)
			assert.Equal(t, 2, f.Navigations, "it is the same frame")
			assert.Len(t, r.Frames(), 2, "what was below the old document is gone")
			checkInvariants(t, r, name)
		})
	}
}

func TestFrameMovesBackInEitherOrder(t *testing.T) {
	for name, steps := range map[string][]func(*Registry){
		"session ends first": {
			func(r *Registry) { endSession(r, "S1", "S2") },
			func(r *Registry) { attach(r, "S1", "F2", "F1") },
		},
		"frame attached first": {
			func(r *Registry) { attach(r, "S1", "F2", "F1") },
			func(r *Registry) { endSession(r, "S1", "S2") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := withFrame()
			moveOut(r, "S1", "S2", "F2")
			commit(r, "S2", "F2", "F1", "LB")
			attach(r, "S2", "F3", "F2")
			for _, step := range steps {
				step(r)
				get(t, r, "F2")
			}
			commit(r, "S1", "F2", "F1", "LC")
			f := get(t, r, "F2")
			assert.Equal(t, target.SessionID("S1"), f.Session)
			assert.Equal(t, 3, f.Navigations)
			assert.Len(t, r.Frames(), 2)
			assert.Len(t, r.sessions, 1)
			checkInvariants(t, r, name)
		})
	}
}

func TestOldSessionIsIgnoredAfterTheMove(t *testing.T) {
	r := withFrame()
	moveOut(r, "S1", "S2", "F2")
	commit(r, "S2", "F2", "F1", "LB")
	before := get(t, r, "F2")

	lifecycle(r, "S1", "F2", "LB", Load)
	lifecycle(r, "S1", "F2", "LA", Load)
	commit(r, "S1", "F2", "F1", "LA")
	world(r, "S1", "F2", "late")
	apply(r, "S1", "Page.frameStartedNavigating", `{"frameId":"F2","loaderId":"LX","url":"http://x/","navigationType":"differentDocument"}`)
	apply(r, "S1", "Page.navigatedWithinDocument", `{"frameId":"F2","url":"http://x/"}`)
	apply(r, "S1", "Runtime.executionContextsCleared", `{}`)
	detachFrame(r, "S1", "F2", "swap")
	assert.Equal(t, before, get(t, r, "F2"))

	lifecycle(r, "S2", "F2", "LB", Load)
	assert.True(t, get(t, r, "F2").Marks.Has(Load))
}

func TestImpossibleEventsAreRefused(t *testing.T) {
	r := withFrame()
	moveOut(r, "S1", "S2", "F2")
	commit(r, "S2", "F2", "F1", "LB")
	attach(r, "S2", "F3", "F2")
	before := r.Frames()

	detachFrame(r, "S2", "F2", "remove") // a session does not decide on its own root
	attach(r, "S2", "F2", "F3")          // a frame below itself
	attach(r, "S2", "F2", "F2")
	attach(r, "S1", "F1", "F1")
	attach(r, "S1", "F4", "F3") // not its parent's session
	detachFrame(r, "S1", "F1", "remove")
	detachFrame(r, "S1", "F3", "remove") // neither its host nor its parent's
	commit(r, "S1", "F5", "F3", "LX")
	apply(r, "S9", "Page.frameAttached", `{"frameId":"F6","parentFrameId":"F1"}`)
	assert.Equal(t, before, r.Frames())
}

func TestRemovedSubtree(t *testing.T) {
	r := withFrame()
	moveOut(r, "S1", "S2", "F2")
	commit(r, "S2", "F2", "F1", "LB")
	attach(r, "S2", "F3", "F2")
	moveOut(r, "S2", "S3", "F3")
	commit(r, "S3", "F3", "F2", "LC")
	attach(r, "S3", "F4", "F3")
	require.Len(t, r.Frames(), 4)

	detachFrame(r, "S1", "F2", "remove")
	assert.Len(t, r.Frames(), 1)
	for _, id := range []cdp.FrameID{"F2", "F3", "F4"} {
		_, ok := r.Frame(id)
		assert.False(t, ok, id)
	}
	lifecycle(r, "S3", "F4", "L9", Load)
	commit(r, "S1", "F2", "F1", "LZ")
	moveOut(r, "S3", "S4", "F4")
	assert.Len(t, r.Frames(), 1, "late words do not bring a frame back")
	assert.Len(t, r.sessions, 1)
}

// What the main frame goes through between two quiet moments of a log.
func TestStatesOnTheWay(t *testing.T) {
	navigation := func(f Frame) string {
		return fmt.Sprintf("%s+%d pending=%s started=%t", f.Loader, f.Navigations, f.Pending, f.Started)
	}
	loaded := func(f Frame) string { return fmt.Sprintf("%s load=%t", f.Loader, f.Marks.Has(Load)) }
	requested := func(f Frame) string { return fmt.Sprint(f.Requested) }
	for _, c := range []struct {
		about         string
		log, from, to string
		see           func(Frame) string
		want          []string
	}{
		{"a plain load", "plain", "plain", "cross-site main", navigation,
			[]string{"L2+1 pending= started=false", "L2+1 pending=L3 started=true", "L3+2 pending= started=false"}},
		{"a navigation that brings no document ends with the throbber", "no-document", "plain", "204", navigation,
			[]string{"L2+1 pending= started=false", "L2+1 pending=L3 started=true", "L2+1 pending= started=false"}},
		{"a download does too", "no-document", "204", "download", navigation,
			[]string{"L2+1 pending= started=false", "L2+1 pending=L4 started=true", "L2+1 pending= started=false"}},
		{"a same-document navigation has no pending loader", "same-document", "fragment by script", "fragment by navigate", navigation,
			[]string{"L2+3 pending= started=false", "L2+3 pending= started=true", "L2+4 pending= started=false"}},
		{"and does not end the navigation to a new document", "busy", "plain", "pushState while pending", navigation,
			[]string{"L2+1 pending= started=false", "L2+1 pending=L3 started=true", "L2+2 pending=L3 started=true", "L3+3 pending= started=false"}},
		{"one navigation supersedes another", "replaced", "meta refresh", "superseded", navigation,
			[]string{"L7+6 pending= started=false", "L7+6 pending=L8 started=true", "L7+6 pending=L9 started=true", "L9+7 pending= started=false"}},
		{"a page that replaces itself on load", "replaced", "replace during load", "replace on load", loaded,
			[]string{"L3 load=true", "L4 load=false", "L4 load=true", "L5 load=false", "L5 load=true"}},
		{"document.open takes the load back", "written", "plain", "document.open", loaded,
			[]string{"L2 load=true", "L2 load=false", "L2 load=true"}},
		{"a beforeunload dialog that keeps the page ends the request", "refused", "beforeunload page", "dismissed", requested,
			[]string{"false", "true", "false"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			var states []string
			in := false
			r := newTab()
			for _, l := range readLog(t, "testdata/"+c.log+".jsonl") {
				play(t, r, l)
				if l.Moment == c.to {
					assert.Equal(t, c.want, states)
					return
				}
				in = in || l.Moment == c.from
				f, _ := r.Main()
				if s := c.see(f); in && (len(states) == 0 || states[len(states)-1] != s) {
					states = append(states, s)
				}
			}
			require.Fail(t, "no such moment", c.to)
		})
	}
}

// A document restored from the back/forward cache comes without its frames and without its marks: they are what they were when it was left.
func TestRestoredDocument(t *testing.T) {
	r := upTo(t, "bfcache-restored", "back")
	m, _ := r.Main()
	assert.Equal(t, cdp.LoaderID("L2"), m.Loader, "the loader it had, not the one that was pending")
	assert.Empty(t, m.Pending)
	assert.True(t, m.Marks.Has(NetworkIdle))
	f := get(t, r, "F2")
	assert.Equal(t, "http://127.0.0.1/leaf", f.URL)
	assert.Equal(t, "C6", f.WorldContext)

	r = upTo(t, "bfcache-restored", "back to cross")
	f = get(t, r, "F3")
	assert.Equal(t, target.SessionID("S3"), f.Session)
	assert.Equal(t, cdp.LoaderID("L10"), f.Loader)
	assert.Equal(t, "C12", f.WorldContext)
}

func TestSeed(t *testing.T) {
	tree := func(s string) *page.FrameTree {
		var ft page.FrameTree
		require.NoError(t, jsonv2.Unmarshal([]byte(s), &ft))
		return &ft
	}
	full := tree(`{"frame":{"id":"F1","loaderId":"L1","url":"http://a/","urlFragment":"#x"},"childFrames":[
		{"frame":{"id":"F2","parentId":"F1","loaderId":"L2","url":"http://a/in","name":"in"}}]}`)

	t.Run("fills in what was there", func(t *testing.T) {
		r := newTab()
		world(r, "S1", "F2", "C2")
		lifecycle(r, "S1", "F2", "L2", Load)
		lifecycle(r, "S1", "F1", "L1", Load)
		assert.Len(t, r.Frames(), 1)
		r.Seed("S1", full)
		f := get(t, r, "F2")
		assert.Equal(t, "in", f.Name)
		assert.Equal(t, "C2", f.WorldContext, "what events told before is kept")
		assert.True(t, f.Marks.Has(Load))
		m, _ := r.Main()
		assert.Equal(t, "http://a/#x", m.URL)
		assert.True(t, m.Marks.Has(Load))
		assert.Zero(t, m.Navigations)
		r.Seed("S1", full)
		assert.Len(t, r.Frames(), 2)
	})
	t.Run("does not undo a commit", func(t *testing.T) {
		r := newTab()
		commit(r, "S1", "F1", "", "L9")
		r.Seed("S1", full)
		m, _ := r.Main()
		assert.Equal(t, cdp.LoaderID("L9"), m.Loader)
		assert.Len(t, r.Frames(), 1)
	})
	t.Run("does not bring back a removed frame", func(t *testing.T) {
		r := newTab()
		attach(r, "S1", "F2", "F1")
		detachFrame(r, "S1", "F2", "remove")
		r.Seed("S1", full)
		assert.Len(t, r.Frames(), 1)
	})
	t.Run("bears nonsense", func(t *testing.T) {
		r := newTab()
		r.Seed("S9", full)
		r.Seed("S1", nil)
		r.Seed("S1", &page.FrameTree{})
		r.Seed("S1", &page.FrameTree{Frame: &cdp.Frame{ID: "F1"}, ChildFrames: []*page.FrameTree{nil, {}, {Frame: &cdp.Frame{ID: "F1", ParentID: "F1"}}}})
		checkInvariants(t, r, "after nonsense")
	})
}

func TestNothingGrows(t *testing.T) {
	r := newTab()
	for i := range 3000 {
		id, loader := fmt.Sprintf("I%d", i), fmt.Sprintf("L%d", i)
		lifecycle(r, "S1", "F1", "never-"+loader, Init)
		commit(r, "S1", "F1", "", loader)
		attach(r, "S1", id, "F1")
		moveOut(r, "S1", "S"+id, id)
		world(r, "S1", "unknown-"+id, "C"+loader)
		world(r, "S"+id, id, "C"+loader)
		lifecycle(r, "S"+id, id, "never-"+loader, Init)
	}
	checkInvariants(t, r, "after 3000 navigations")
	assert.Len(t, r.Frames(), 2)
	assert.Len(t, r.sessions, 2, "sessions go with their frames")
}
