package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/cdp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/selector"
)

// errLeaseTimeout is the cause of a context that waited too long for a tab.
var errLeaseTimeout = errors.New("the lease timeout is over")

func errClosed(op string) *Error {
	return &Error{Type: BrowserUnavailable, Op: op, Message: "the browser manager is closed"}
}

// subject is what an operation was about, for its error.
type subject struct {
	op       string
	tab      *Tab
	frame    string
	selector string
	// waiting says what was being waited for, "the page to load".
	waiting string
}

// translate makes an *Error of any error from below. It is the only place
// that does; no text of the protocol or of package context gets past it.
func translate(err error, about subject) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, cdp.ErrClosed) && about.tab != nil {
		if why := about.tab.lastWord(); why != nil {
			err = why
		}
	}
	e := &Error{Type: UnexpectedError, Err: err}
	var known *Error
	var syntax *selector.SyntaxError
	var refused *cdp.Error
	switch {
	case errors.As(err, &known):
		named := *known
		e = &named
	case errors.As(err, &syntax):
		e.Type, e.Message = InvalidSelector, syntax.Error()
	case errors.Is(err, context.DeadlineExceeded):
		e.Type = TimeoutError
		e.Message = "time ran out"
		if about.waiting != "" {
			e.Message += " while waiting for " + about.waiting
		}
		if about.op != "goto" && about.tab != nil && about.tab.navigating() {
			e.Message += "; the tab is on its way to another page, whose server has not answered yet"
		}
	case errors.Is(err, context.Canceled):
		e.Type, e.Message = Cancelled, "the call was cancelled"
	case errors.Is(err, cdp.ErrDetached):
		e.Type, e.Message = TabCrashed, "the page or the frame was closed under the call"
	case errors.Is(err, cdp.ErrClosed):
		e.Type, e.Message = BrowserUnavailable, "the browser is gone; the next navigate starts a new one"
	case errors.As(err, &refused):
		e.Message = fmt.Sprintf("the browser refused %s; the server's log has its words", refused.Method)
	default:
		e.Message = "something unforeseen went wrong; the server's log has the details"
	}
	if e.Op == "" || e.Op == "tab" || e.Op == "frame" {
		e.Op = about.op
	}
	if about.tab != nil {
		if e.TabID == "" {
			e.TabID = about.tab.id
		}
		if e.Type == UnexpectedError {
			about.tab.log.Error("unexpected error", "op", about.op, "tab", about.tab.id, "error", err)
		}
	}
	if e.FrameID == "" {
		e.FrameID = about.frame
	}
	if e.Selector == "" {
		e.Selector = about.selector
	}
	return e
}

// round shortens a duration for a message.
func round(d time.Duration) time.Duration {
	if d >= 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}
