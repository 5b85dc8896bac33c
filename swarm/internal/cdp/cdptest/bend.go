package cdptest

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"
)

// Fate is what happens to one message. The zero value lets it pass.
type Fate struct {
	// Delay holds the message, and everything behind it in the same direction.
	Delay time.Duration
	// Drop loses the message without a trace.
	Drop bool
	// Cut closes the connection in its place.
	Cut bool
}

// Rule decides the fate of a message, the n-th of the connection counted from 1 over both directions. Sent tells a command from a message received. A
// Rule is called on the goroutines that read and write, at once on both.
type Rule = func(n int64, sent bool, msg *cdproto.Message) Fate

// CutAfter lets n messages pass and cuts the connection at the next.
func CutAfter(n int64) Rule {
	return func(i int64, _ bool, _ *cdproto.Message) Fate { return Fate{Cut: i > n} }
}

// Bend wraps a transport so that each of its messages meets the fate the rule decides.
func Bend(t chromedp.Transport, rule Rule) chromedp.Transport {
	return &bent{Transport: t, rule: rule}
}

type bent struct {
	chromedp.Transport
	rule Rule
	n    atomic.Int64
}

func (b *bent) Read(ctx context.Context, msg *cdproto.Message) error {
	for {
		*msg = cdproto.Message{}
		if err := b.Transport.Read(ctx, msg); err != nil {
			return err
		}
		if pass, err := b.meet(ctx, false, msg); pass || err != nil {
			return err
		}
	}
}

func (b *bent) Write(ctx context.Context, msg *cdproto.Message) error {
	if pass, err := b.meet(ctx, true, msg); !pass || err != nil {
		return err
	}
	return b.Transport.Write(ctx, msg)
}

// meet carries out the message's fate and reports whether it passes.
func (b *bent) meet(ctx context.Context, sent bool, msg *cdproto.Message) (bool, error) {
	fate := b.rule(b.n.Add(1), sent, msg)
	if fate.Delay > 0 {
		delay := time.NewTimer(fate.Delay)
		defer delay.Stop()
		select {
		case <-delay.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	if fate.Cut {
		_ = b.Transport.Close()
		return false, io.ErrUnexpectedEOF
	}
	return !fate.Drop, nil
}
