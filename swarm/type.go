package swarm

import (
	"context"
	"fmt"
	"strings"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/input"
)

// Type types into the element, which is focused first, to the end of what is
// there or, with opts.Clear, instead of it. Text of up to 1,000 characters is
// typed key by key; what the keyboard lacks, and longer text, is put in as
// pasting does. A newline is the Enter key: it submits from a one-line field
// and breaks the line elsewhere. Inputs that take no keys (date, time, color,
// range) get their value set, in its ISO form, with the events of a change.
//
// The field is read again afterwards: TypeResult says what became of the text.
// Errors, besides those of Locator: TIMEOUT_ERROR when the text was not typed
// to its end; how much of it went in is not known then.
func (l Locator) Type(ctx context.Context, text string, opts *TypeOptions) (*TypeResult, error) {
	const waiting = "the text to be typed"
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return nil, l.translate(err, "type", waiting)
	}
	defer done()
	if opts == nil {
		opts = &TypeOptions{}
	}
	result, err := l.typeText(ctx, text, *opts)
	return result, l.translate(err, "type", waiting)
}

func (l Locator) typeText(ctx context.Context, text string, opts TypeOptions) (*TypeResult, error) {
	tab := l.frame.tab
	giveTurn, err := tab.take(ctx)
	if err != nil {
		return nil, err
	}
	defer giveTurn()
	id, _ := tab.newAction()
	tab.dropAction(id) // Typing has no verdict; the id alone is wanted.
	field, err := attempt[engine.Field](ctx, l, "prepareType", func(t engine.Target) any {
		return engine.TypeArgs{Target: t, ID: id, Clear: opts.Clear, Text: text}
	})
	if err != nil {
		return nil, err
	}
	session, err := l.frame.session()
	if err != nil {
		return nil, err
	}
	result := &TypeResult{Value: field.Value, AsAsked: true}
	if field.Kind != "value" {
		if err := tab.send(ctx, session, strokes(text, field, opts.Clear)); err != nil {
			return nil, err
		}
		if result, err = l.typed(ctx, id, text, field, opts.Clear); err != nil {
			return nil, err
		}
	}
	if opts.Submit {
		if err := tab.send(ctx, session, input.Press(input.Enter)); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// strokes are the keys that type a text into a field that is ready.
func strokes(text string, field engine.Field, clear bool) []input.Command {
	var keys []input.Command
	switch {
	case clear && (text == "" || strings.ContainsAny(text[:1], "\r\n")):
		keys = input.Press(input.Delete) // The engine has selected it all; any other first key replaces it.
	case !clear && !field.Caret:
		keys = input.Press(input.End)
	}
	return append(keys, input.Text(text)...)
}

// typed reads the field after typing and compares it with what was asked.
func (l Locator) typed(ctx context.Context, id int64, text string, field engine.Field, clear bool) (*TypeResult, error) {
	after, err := call[struct {
		Value string `json:"value"`
		Gone  bool   `json:"gone"`
	}](ctx, l.frame, "typedValue", map[string]any{"id": id})
	if err != nil {
		return nil, err
	}
	if after.Gone {
		// The page took the field away, as it may when an Enter in the text submits it.
		if strings.ContainsAny(text, "\r\n") {
			return &TypeResult{AsAsked: true}, nil
		}
		return nil, &Error{Type: ElementNotInteractable, Reason: "detached",
			Message: fmt.Sprintf("the page replaced %s while it was typed into; find it anew and check its value", field.Name)}
	}
	asked := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if field.Kind == "input" {
		asked = strings.ReplaceAll(asked, "\n", "")
	}
	if !clear {
		asked = field.Before + asked
	}
	got := after.Value
	if field.Kind == "editable" {
		got, asked = plainText(got), plainText(asked)
	}
	return &TypeResult{Value: after.Value, AsAsked: got == asked}, nil
}

// plainText evens out what editing hosts do to white space: no-break spaces at
// the ends of lines, and a line break after the last block.
func plainText(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\u00a0", " "), "\n")
}

// session is that of the process the frame lives in.
func (f *Frame) session() (*cdp.Session, error) {
	frame, ok := f.tab.frames.Frame(f.id)
	if !ok {
		return nil, f.notFound("frame")
	}
	return f.tab.browser.conn.Session(frame.Session), nil
}
