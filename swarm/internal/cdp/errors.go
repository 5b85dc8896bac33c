package cdp

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is matched by the error of every call on a connection that is over, whichever side ended it. The cause is in the [*ClosedError].
	ErrClosed = errors.New("connection to the browser closed")

	// ErrDetached is why a session ended that the browser detached: its target was closed, crashed or moved to another process, or somebody
	// detached it. Pending commands may have been carried out; their replies never come.
	ErrDetached = errors.New("target detached")
)

// ClosedError is the end of a connection and with it of all its sessions.
type ClosedError struct {
	// Err is what the transport reported, or the reason given to [Conn.Close]. io.EOF means that the browser closed its end, which is how a
	// browser that exits looks from here.
	Err error
}

// Error satisfies the error interface.
func (e *ClosedError) Error() string { return fmt.Sprintf("%v: %v", ErrClosed, e.Err) }

// Is reports true for [ErrClosed].
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// Unwrap returns Err.
func (e *ClosedError) Unwrap() error { return e.Err }

// Error is a command that the browser refused or could not carry out.
type Error struct {
	// Method is the command, such as "Page.navigate".
	Method string
	// Code is the JSON-RPC code: -32000 for what the domain refused, -32601 for an unknown method, -32602 for wrong parameters.
	Code int64
	// Message is the browser's own text. It is neither stable nor meant for users.
	Message string
}

// Error satisfies the error interface.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Method, e.Message, e.Code) }
