package swarm_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestAPageThatReplacesBuiltinsCannotStopActionsNorFakeAValue(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b onclick="window.hit=(window.hit||0)+1">b</button><input id=i><script>
JSON.stringify = () => 'hacked'; Array.prototype.toJSON = () => 'x'; Object.prototype.toString = () => { throw 1 };
Array.prototype.map = Array.prototype.push = Array.prototype.join = () => { throw 2 };
addEventListener = () => { throw 5 }; Element.prototype.getBoundingClientRect = Element.prototype.scrollIntoView = document.querySelectorAll = () => { throw 6 };
</script>`)
	_, err := tab.Locator("#b").Click(t.Context(), nil)
	require.NoError(t, err)
	_, err = tab.Locator("#i").Type(t.Context(), "hello", nil)
	require.NoError(t, err)
	assert.Equal(t, "1", eval(t, tab, "window.hit"))
	value, err := tab.Evaluate(t.Context(), "[1, {a: 'b'}]")
	if err != nil {
		fails(t, err, swarm.ScriptError)
	} else {
		assert.True(t, json.Valid(value), "%s", value)
	}
	text, err := tab.Content(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "b", text)
}

func TestARegularExpressionWithoutEndDoesNotTakeTheTabWithIt(t *testing.T) {
	t.Parallel()
	tab := show(t, `<p>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!</p>`)
	err := tab.Locator("text=/^(a+)+$/").WaitFor(within(t, time.Second), nil)
	fails(t, err, swarm.TimeoutError)
	assert.Equal(t, "1", eval(t, tab, "1"))
}

func TestAValueThatIsTooDeepIsCut(t *testing.T) {
	t.Parallel()
	value := eval(t, visit(t, "/t/blank"), "(() => { const o = {}; let c = o; for (let i = 0; i < 1e5; i++) c = c.n = {}; return o })()")
	assert.Contains(t, value, "[…]")
	assert.Less(t, len(value), 5000)
}

func TestAPageThatIsBusySaysSo(t *testing.T) {
	t.Parallel()
	tab := show(t, `<button id=b>b</button><script>setTimeout(() => { for (;;); }, 100)</script>`)
	time.Sleep(300 * time.Millisecond)
	_, err := tab.Locator("#b").Click(within(t, time.Second), nil)
	assert.Contains(t, fails(t, err, swarm.TimeoutError).Message, "busy")
	_, err = tab.Evaluate(within(t, 300*time.Millisecond), "1")
	fails(t, err, swarm.TimeoutError)
	assert.Equal(t, "1", eval(t, tab, "1"), "that has stopped it")
}
