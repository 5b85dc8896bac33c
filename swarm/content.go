package swarm

import (
	"context"
	"fmt"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/markdown"
)

// Content returns the page, or one element of it, as rendered text, as HTML or
// as Markdown. A document that is text to begin with (JSON, plain text) is
// returned as it is, whatever the type. The text is whole: no limit is applied.
//
// Errors: those of Locator when opts has a selector.
func (t *Tab) Content(ctx context.Context, opts *ContentOptions) (string, error) {
	if opts == nil {
		opts = &ContentOptions{}
	}
	kind := opts.Type
	if kind == "" {
		kind = ContentText
	}
	l := t.Locator(opts.Selector)
	if opts.Selector == "" {
		l.err = nil
	}
	const waiting = "the page to answer"
	if kind != ContentText && kind != ContentHTML && kind != ContentMarkdown {
		return "", l.translate(&Error{Type: InvalidArgument, Message: fmt.Sprintf("type is %q; it must be text, html or markdown", kind)}, "content", waiting)
	}
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return "", l.translate(err, "content", waiting)
	}
	defer done()
	read, err := attempt[engine.Text](ctx, l, "content", func(target engine.Target) any {
		if opts.Selector == "" {
			target.Selector = nil
		}
		return struct {
			engine.Target
			Type ContentType `json:"type"`
		}{target, kind}
	})
	if err != nil {
		return "", l.translate(err, "content", waiting)
	}
	if kind != ContentMarkdown || read.Plain {
		return read.Text, nil
	}
	text, err := markdown.Convert(read.Text, read.URL, nil)
	return text, l.translate(err, "content", waiting)
}
