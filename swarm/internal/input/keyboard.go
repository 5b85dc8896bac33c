package input

import (
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// MaxKeyed is the longest text, in characters, that Text types key by key.
// What is longer is put in line by line, as pasting does: a key costs the page
// two events and Chrome some 100 µs, and nobody types a book.
const MaxKeyed = 1000

// The keys that Press takes, by their KeyboardEvent.key names.
const (
	Enter  = "Enter"
	Delete = "Delete"
	End    = "End"
)

// Press is one key, down and up.
func Press(key string) []Command {
	// kb keys its table by runes of its own choosing; they stay in here.
	runes := map[string]rune{Enter: '\r', Delete: '\u007f', End: '\u0305'}
	return stroke(kb.Keys[runes[key]])
}

// Text is the keys that type a text on a US keyboard. A newline, "\r\n" too,
// is the Enter key; characters that the keyboard lacks, a tab among them since
// its key moves the focus, are put in as an input method does, without key
// events.
func Text(text string) []Command {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	keyed := utf8.RuneCountInString(text) <= MaxKeyed
	var commands []Command
	var block strings.Builder
	flush := func() {
		if block.Len() > 0 {
			commands = append(commands, Command{input.CommandInsertText, input.InsertTextParams{Text: block.String()}})
			block.Reset()
		}
	}
	for _, r := range text {
		switch {
		case r == '\n':
			flush()
			commands = append(commands, Press(Enter)...)
		case keyed && r >= ' ' && r <= '~':
			flush()
			commands = append(commands, stroke(kb.Keys[r])...)
		default:
			block.WriteRune(r)
		}
	}
	flush()
	return commands
}

func stroke(key *kb.Key) []Command {
	down := input.DispatchKeyEventParams{
		Type:                  input.DispatchKeyEventTypeRawKeyDown,
		Code:                  key.Code,
		Key:                   key.Key,
		WindowsVirtualKeyCode: key.Windows,
		NativeVirtualKeyCode:  key.Native,
	}
	if key.Shift {
		down.Modifiers = int64(Shift)
	}
	up := down
	up.Type = input.DispatchKeyEventTypeKeyUp
	if key.Text != "" {
		down.Type = input.DispatchKeyEventTypeKeyDown
		down.Text, down.UnmodifiedText = key.Text, key.Unmodified
	}
	return []Command{{input.CommandDispatchKeyEvent, down}, {input.CommandDispatchKeyEvent, up}}
}
