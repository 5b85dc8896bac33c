package input

import "github.com/chromedp/cdproto/input"

// Command is a protocol command ready to be sent.
type Command struct {
	Method string
	Params any
}

// Modifiers is a set of modifier keys, as the protocol's bit field has it.
type Modifiers int64

// The modifier keys.
const (
	Alt     Modifiers = 1
	Control Modifiers = 2
	Meta    Modifiers = 4
	Shift   Modifiers = 8
)

// Mouse says how to click.
type Mouse struct {
	// X and Y are in the main frame's viewport, in CSS pixels.
	X, Y float64
	// Button is "left", "middle" or "right".
	Button string
	// Count is 2 for a double click.
	Count int
	// Modifiers are held during the click.
	Modifiers Modifiers
}

// buttonBits are the values of MouseEvent.buttons.
var buttonBits = map[string]int64{"left": 1, "right": 2, "middle": 4}

// Click is the move, and a press and a release for each click.
func Click(m Mouse) []Command {
	at := func(kind input.DispatchMouseEventType) input.DispatchMouseEventParams {
		return input.DispatchMouseEventParams{Type: kind, X: m.X, Y: m.Y, Modifiers: int64(m.Modifiers)}
	}
	commands := []Command{{input.CommandDispatchMouseEvent, at(input.DispatchMouseEventTypeMouseMoved)}}
	for n := 1; n <= m.Count; n++ {
		press := at(input.DispatchMouseEventTypeMousePressed)
		press.Button, press.Buttons, press.ClickCount = input.MouseButton(m.Button), buttonBits[m.Button], int64(n)
		release := press
		release.Type, release.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		commands = append(commands, Command{input.CommandDispatchMouseEvent, press}, Command{input.CommandDispatchMouseEvent, release})
	}
	return commands
}
