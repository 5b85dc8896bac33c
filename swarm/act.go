package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/selector"
)

const (
	// maxSlice is the longest that one call of the engine waits in the page.
	maxSlice = 500 * time.Millisecond
	// sliceMargin is kept back from the deadline for the answer to come home, or
	// a quarter of what is left when that is less.
	sliceMargin = 150 * time.Millisecond
	// minSlice is too short to look once more.
	minSlice = 10 * time.Millisecond
	// maxLog bounds the lines of an error's log.
	maxLog = 20
)

// attempt runs an operation of the engine, slice after slice, until it is
// settled or the time is up. It is the one loop that all waiting for elements
// goes through: "not yet" is an outcome whose reason goes to the log, and when
// time is up the error carries the last reason and the log.
func attempt[R interface{ Result() engine.Outcome }](ctx context.Context, l Locator, op string, args func(engine.Target) any) (R, error) {
	var log callLog
	began := time.Now()
	for {
		result, err := call[R](ctx, l.frame, op, args(engine.Target{Selector: l.selector, Slice: engine.Milliseconds(slice(ctx))}))
		if err != nil {
			if ctx.Err() == nil {
				return result, err
			}
			if l.hasRegexp() {
				l.frame.unhang()
			}
			if log.last == nil {
				return result, l.unanswered(err, time.Since(began))
			}
			return result, l.unusable(ctx, *log.last, time.Since(began), log.lines)
		}
		o := result.Result()
		if o.OK {
			return result, nil
		}
		if err := l.permanent(o); err != nil {
			return result, err
		}
		log.add(began, o)
		if slice(ctx) == 0 {
			return result, l.unusable(ctx, o, time.Since(began), log.lines)
		}
	}
}

// unanswered is the error when the page never answered at all.
func (l Locator) unanswered(err error, waited time.Duration) error {
	if l.frame.tab.over() != nil || l.frame.tab.navigating() || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Type: TimeoutError, Err: err, Message: fmt.Sprintf(
		"the page did not answer within %v: a script of its own keeps it busy; try again later, or run evaluate with a short timeout, which stops it", round(waited))}
}

// hasRegexp reports whether the selector has a regular expression: the one part
// of it that can keep the engine, and so the page, busy for ever.
func (l Locator) hasRegexp() bool {
	return slices.ContainsFunc(l.selector.Alternatives, func(c selector.Chain) bool {
		return slices.ContainsFunc(c, func(s selector.Step) bool { return s.Match != nil && s.Match.Regexp != "" })
	})
}

// slice is how long the next call of the engine may wait.
func slice(ctx context.Context) time.Duration {
	deadline, has := ctx.Deadline()
	if !has {
		return maxSlice
	}
	left := time.Until(deadline)
	left -= min(sliceMargin, left/4)
	if left < minSlice {
		return 0
	}
	return min(maxSlice, left)
}

// callLog is what an operation saw on its way.
type callLog struct {
	last  *engine.Outcome
	lines []string
}

func (c *callLog) add(began time.Time, o engine.Outcome) {
	line := reasonText(o)
	if c.last == nil || reasonText(*c.last) != line {
		c.lines = append(c.lines, fmt.Sprintf("%v: %s", round(time.Since(began)), line))
		if len(c.lines) > maxLog {
			c.lines = slices.Delete(c.lines, 1, 2) // The first look stays.
		}
	}
	c.last = &o
}

// reasonText says in words what an outcome found.
func reasonText(o engine.Outcome) string {
	switch o.Why {
	case "none":
		return "nothing matched"
	case "covered":
		return fmt.Sprintf("%s, %s is covered by %s", o.Seen, o.Name, o.By)
	case "outside":
		return fmt.Sprintf("%s, %s could not be scrolled into view", o.Seen, o.Name)
	case "not-focusable":
		return fmt.Sprintf("%s, %s does not take the focus, which is on %s", o.Seen, o.Name, o.By)
	}
	text := fmt.Sprintf("%s, %s is %s", o.Seen, o.Name, strings.ReplaceAll(o.Why, "-", " "))
	if o.Detail != "" && o.Detail != o.Why {
		text += " (" + o.Detail + ")"
	}
	return text
}

// permanent is the error of an outcome that waiting does not mend, nil for others.
func (l Locator) permanent(o engine.Outcome) error {
	switch o.Error {
	case "":
		return nil
	case "selector":
		return &Error{Type: InvalidSelector, Message: fmt.Sprintf("%s is no selector: %s", l.text, o.Message)}
	}
	return l.notInteractable(o, fmt.Sprintf("%q: %s; %s", l.text, reasonText(o), nextStep(o)), nil)
}

// unusable is the error when the time was up.
func (l Locator) unusable(ctx context.Context, o engine.Outcome, waited time.Duration, log []string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	switch o.Why {
	case "none":
		where := "the page"
		if !l.frame.isMain() {
			where = "the frame"
		}
		return &Error{Type: SelectorNotFound, Log: log, URL: l.frame.URL(), Err: context.DeadlineExceeded, Message: fmt.Sprintf(
			"nothing in %s matched %q within %v; look at its content for what is there", where, l.text, round(waited))}
	case "not-visible", "not-hidden", "not-detached":
		return &Error{Type: TimeoutError, Log: log, Err: context.DeadlineExceeded, Message: fmt.Sprintf(
			"%q did not get there within %v: %s", l.text, round(waited), reasonText(o))}
	}
	return l.notInteractable(o, fmt.Sprintf("%q could not be used within %v: %s; %s", l.text, round(waited), reasonText(o), nextStep(o)), log)
}

func (l Locator) notInteractable(o engine.Outcome, message string, log []string) *Error {
	e := &Error{Type: ElementNotInteractable, Reason: o.Why, Message: message, Log: log}
	if o.Why == "covered" {
		e.CoveredBy = o.By
	}
	return e
}

// nextStep is what a caller can do about an outcome.
func nextStep(o engine.Outcome) string {
	switch o.Why {
	case "covered":
		return "close or move what covers it, or click with force"
	case "hidden", "zero-size":
		return "make it visible first, or name another element"
	case "disabled", "readonly":
		return "see what the page still asks for before it enables the element"
	case "not-editable":
		return "only text fields and editable elements can be typed into"
	case "refused":
		return "the input takes its own format only, as 2026-12-31, 13:45, #ff8800 or a number within its range"
	case "moving":
		return "wait until it stands still, or click with force"
	}
	return "wait for the page to get ready and try again"
}
