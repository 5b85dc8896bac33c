package input_test

import (
	"strings"
	"testing"

	proto "github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/input"
)

// typed is what the commands put into a field that takes every key.
func typed(commands []input.Command) string {
	var b strings.Builder
	for _, c := range commands {
		switch p := c.Params.(type) {
		case proto.InsertTextParams:
			b.WriteString(p.Text)
		case proto.DispatchKeyEventParams:
			b.WriteString(p.Text)
		}
	}
	return strings.ReplaceAll(b.String(), "\r", "\n")
}

func TestTextPutsInEveryCharacter(t *testing.T) {
	for _, text := range []string{"", "abc", "ABC xyz ~!@", "ąčiū", "你好", "👨‍👩‍👧 é", "𝒳", "\u3000x", "e\u0301", "a\tb", strings.Repeat("long ", 1000)} {
		assert.Equal(t, text, typed(input.Text(text)))
	}
	assert.Equal(t, "a\nb\nc\n", typed(input.Text("a\r\nb\rc\n")), "every kind of line end is one Enter")
}

func TestTextSendsKeysForWhatTheKeyboardHas(t *testing.T) {
	commands := input.Text("a你")
	require.Len(t, commands, 3)
	down := commands[0].Params.(proto.DispatchKeyEventParams)
	assert.Equal(t, "KeyA", down.Code)
	assert.Equal(t, proto.DispatchKeyEventTypeKeyDown, down.Type)
	assert.Equal(t, proto.DispatchKeyEventTypeKeyUp, commands[1].Params.(proto.DispatchKeyEventParams).Type)
	assert.Equal(t, proto.InsertTextParams{Text: "你"}, commands[2].Params)
}

func TestTextPastesWhatIsLong(t *testing.T) {
	line := strings.Repeat("x", input.MaxKeyed)
	assert.Len(t, input.Text(line), 2*input.MaxKeyed)
	assert.Len(t, input.Text(line+"x"), 1)
	assert.Len(t, input.Text(line+"\nx"), 1+2+1)
}

func TestEveryPrintableASCIICharacterHasAKey(t *testing.T) {
	for r := ' '; r <= '~'; r++ {
		commands := input.Text(string(r))
		require.Len(t, commands, 2, "%q", r)
		down := commands[0].Params.(proto.DispatchKeyEventParams)
		assert.Equal(t, string(r), down.Text)
		assert.NotEmpty(t, down.Code)
	}
}

func TestClickPressesAndReleasesForEachCount(t *testing.T) {
	commands := input.Click(input.Mouse{X: 3, Y: 4, Button: "right", Count: 2, Modifiers: input.Control})
	require.Len(t, commands, 5)
	var kinds []string
	for _, c := range commands {
		p := c.Params.(proto.DispatchMouseEventParams)
		kinds = append(kinds, string(p.Type))
		assert.Equal(t, 3.0, p.X)
		assert.Equal(t, int64(2), p.Modifiers)
	}
	assert.Equal(t, []string{"mouseMoved", "mousePressed", "mouseReleased", "mousePressed", "mouseReleased"}, kinds)
	assert.Equal(t, int64(2), commands[3].Params.(proto.DispatchMouseEventParams).ClickCount)
	assert.Equal(t, int64(2), commands[3].Params.(proto.DispatchMouseEventParams).Buttons)
}
