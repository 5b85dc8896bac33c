package swarm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// TestAClickTellsOfItsDialogOnBoth is B01.
func TestAClickTellsOfItsDialogOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/dialog-click")
	began := time.Now()
	result, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 2*time.Second)
	assert.Equal(t, []swarm.Dialog{{Type: "confirm", Message: "save?"}}, result.Dialogs)
	assert.Equal(t, `"N"`, eval(t, tab, "document.title"))
	assert.Empty(t, tab.TakeDialogs(), "it was told already")
	result, err = tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, result.Dialogs, 1, "and the next is another one")
}

func TestEveryKindOfDialogIsAnswered(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		accepted bool
		answer   string
	}{"alert": {true, "null"}, "confirm": {false, "false"}, "prompt": {false, "null"}} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			tab := visit(t, "/t/dialog?type="+kind)
			result, err := tab.Locator("#b").Click(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, []swarm.Dialog{{Type: kind, Message: kind + "?", Accepted: want.accepted}}, result.Dialogs)
			assert.Equal(t, want.answer, eval(t, tab, "window.answer"))
		})
	}
}

// TestADialogDuringTheLoadHoldsUpNothingOnBoth is B02.
func TestADialogDuringTheLoadHoldsUpNothingOnBoth(t *testing.T) {
	t.Parallel()
	tab := lease(t)
	_, err := tab.Goto(within(t, 5*time.Second), site.URL+"/t/dialog-in-head", nil)
	require.NoError(t, err)
	assert.Equal(t, []swarm.Dialog{{Type: "alert", Message: "hi", Accepted: true}}, tab.TakeDialogs())
	assert.Equal(t, "Hi", text(t, tab.Locator("#h")))
	_, err = tab.Goto(within(t, 5*time.Second), site.URL+"/t/dialogs-onload", nil)
	require.NoError(t, err)
	assert.Len(t, tab.TakeDialogs(), 3)
	assert.Equal(t, "[null,false,null]", eval(t, tab, "answers"))
}

// TestDialogsOfScripts is B31: no call finds a dialog in its way, and what is
// kept of them is bounded.
func TestDialogsOfScripts(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/covered/removed?ms=0")
	assert.Equal(t, "false", eval(t, tab, "confirm('q')"))
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	_, err = tab.Screenshot(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []swarm.Dialog{{Type: "confirm", Message: "q"}}, tab.TakeDialogs())
	eval(t, tab, "for (let i = 0; i < 200; i++) alert(i)")
	dialogs := tab.TakeDialogs()
	require.Len(t, dialogs, 20)
	assert.Equal(t, "199", dialogs[19].Message)
}

func TestBeforeunloadIsAccepted(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/beforeunload")
	_, err := tab.Locator("body").Click(t.Context(), nil)
	require.NoError(t, err)
	eval(t, tab, "onbeforeunload = e => e.preventDefault()")
	n, err := tab.Goto(within(t, 5*time.Second), site.URL+"/t/b", nil)
	require.NoError(t, err)
	assert.Equal(t, "B", n.Title)
	dialogs := tab.TakeDialogs()
	require.Len(t, dialogs, 1)
	assert.Equal(t, "beforeunload", dialogs[0].Type)
	assert.True(t, dialogs[0].Accepted)
}

func TestADialogInAFrame(t *testing.T) {
	t.Parallel()
	tab := show(t, `<iframe src="/t/dialog?type=confirm" style="width:300px;height:150px"></iframe>`)
	f := frameWith(t, tab, "/t/dialog")
	result, err := f.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, result.Dialogs, 1)
	assert.Equal(t, "false", evalIn(t, f, "window.answer"))
}

// TestAClickTellsOfThePopupsItOpenedOnBoth is B25.
func TestAClickTellsOfThePopupsItOpenedOnBoth(t *testing.T) {
	t.Parallel()
	for path, ids := range map[string]map[string]int{
		"/t/popups":    {"#p": 1, "#w": 1},
		"/t/popup-all": {"#opener": 1, "#noreferrer": 1, "#features": 1, "#named": 1, "#two": 2, "#nofollow": 1, "#form": 1},
	} {
		for selector, want := range ids {
			t.Run(path+selector, func(t *testing.T) {
				t.Parallel()
				tab := visit(t, path)
				result, err := tab.Locator(selector).Click(t.Context(), nil)
				require.NoError(t, err)
				require.Len(t, result.Opened, want)
				var popups []*swarm.Tab
				for _, id := range result.Opened {
					popup, err := manager.Tab(id)
					require.NoError(t, err)
					assert.Equal(t, tab, popup.Opener())
					if selector != "#form" && selector != "#two" {
						require.NoError(t, popup.Locator("text=B").WaitFor(t.Context(), &swarm.WaitForOptions{State: swarm.Visible}), "drivable at once")
					}
					_, err = popup.Screenshot(t.Context(), nil)
					require.NoError(t, err)
					assert.Equal(t, `["visible",true]`, eval(t, popup, "[document.visibilityState, document.hasFocus()]"))
					popups = append(popups, popup)
				}
				tab.Release()
				for _, popup := range popups {
					_, err := popup.Evaluate(t.Context(), "1")
					fails(t, err, swarm.PageNotFound)
					_, err = manager.Tab(popup.ID())
					fails(t, err, swarm.PageNotFound)
				}
			})
		}
	}
}

func TestAPopupIsClickedAndTypedIntoLikeAnyTab(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="window.open('/t/form')">open</button>`)
	result, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, result.Opened, 1)
	popup, err := manager.Tab(result.Opened[0])
	require.NoError(t, err)
	assert.Equal(t, "typed", typed(t, popup, "#text", "typed", nil).Value)
	_, err = popup.Locator("#button").Click(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, popup, "window.pressed"))
	n, err := popup.Goto(t.Context(), site.URL+"/t/b", nil)
	require.NoError(t, err)
	assert.Equal(t, "B", n.Title)
	assert.Equal(t, `"typed"`, eval(t, tab, "'typed'"), "its opener goes on")
}
