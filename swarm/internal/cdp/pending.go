package cdp

import (
	"context"
	"errors"
	"fmt"

	proto "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
)

// Pending is a command that was sent, made by [Session.Send]. It may be waited for any number of times, or never.
type Pending struct {
	session *Session
	method  string
	id      int64
	done    chan struct{}

	// Set before done is closed, constant afterwards.
	result jsonv2.Value
	err    error
}

// failed settles a call that was never sent.
func (p *Pending) failed(err error) *Pending {
	p.err = err
	close(p.done)
	return p
}

// Wait waits for the reply and decodes the result into result unless that is nil, on the caller's goroutine. When ctx ends first the call is
// forgotten: its reply will be dropped, though the browser may well carry out the command. Errors are those of [Session.Call].
func (p *Pending) Wait(ctx context.Context, result any) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		// The reply may have come at the same moment; then it counts.
		p.session.conn.settle(p.id, nil, contextError(ctx, p.method))
		<-p.done
	}
	if p.err != nil {
		return p.named(p.err)
	}
	if result == nil || len(p.result) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(p.result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("%s: decode the result: %w", p.method, err)
	}
	return nil
}

// named adds the method to an error that does not name it yet.
func (p *Pending) named(err error) error {
	switch err.(type) {
	case *Error, *abandonedError:
		return err
	}
	return fmt.Errorf("%s: %w", p.method, err)
}

// abandonedError is a call whose context ended before its reply.
type abandonedError struct {
	method     string
	err, cause error
}

func contextError(ctx context.Context, method string) error {
	return &abandonedError{method: method, err: ctx.Err(), cause: context.Cause(ctx)}
}

func (e *abandonedError) Error() string {
	if errors.Is(e.cause, e.err) {
		return fmt.Sprintf("%s: no reply: %v", e.method, e.cause)
	}
	return fmt.Sprintf("%s: no reply: %v: %v", e.method, e.err, e.cause)
}

func (e *abandonedError) Unwrap() []error { return []error{e.err, e.cause} }

// Reply is a [Pending] that knows the type of its result.
type Reply[R any] struct{ pending *Pending }

// Start is [Session.Send] for the typed protocol:
//
//	moved := cdp.Start(s, input.DispatchMouseEvent, move)
//	pressed := cdp.Start(s, input.DispatchMouseEvent, press)
func Start[P, R any](s *Session, command proto.Command[P, R], params P) *Reply[R] {
	return &Reply[R]{pending: s.Send(command.Method, params)}
}

// Wait returns the result, or an error and the zero value, as [Pending.Wait] does.
func (r *Reply[R]) Wait(ctx context.Context) (R, error) {
	var result R
	if err := r.pending.Wait(ctx, &result); err != nil {
		var zero R
		return zero, err
	}
	return result, nil
}
