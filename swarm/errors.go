package swarm

import (
	"errors"
	"strings"
)

// ErrorType is the stable name of a kind of failure, the error_type of the
// tool contract.
type ErrorType string

// The error types.
const (
	PageNotFound           ErrorType = "PAGE_NOT_FOUND"
	FrameNotFound          ErrorType = "FRAME_NOT_FOUND"
	SelectorNotFound       ErrorType = "SELECTOR_NOT_FOUND"
	InvalidSelector        ErrorType = "INVALID_SELECTOR"
	ElementNotInteractable ErrorType = "ELEMENT_NOT_INTERACTABLE"
	TimeoutError           ErrorType = "TIMEOUT_ERROR"
	NavigationFailed       ErrorType = "NAVIGATION_FAILED"
	ScriptError            ErrorType = "SCRIPT_ERROR"
	PoolExhausted          ErrorType = "POOL_EXHAUSTED"
	TabCrashed             ErrorType = "TAB_CRASHED"
	BrowserUnavailable     ErrorType = "BROWSER_UNAVAILABLE"
	URLBlocked             ErrorType = "URL_BLOCKED"
	InvalidArgument        ErrorType = "INVALID_ARGUMENT"
	Cancelled              ErrorType = "CANCELLED"
	UnexpectedError        ErrorType = "UNEXPECTED_ERROR"
)

// Sentinels for errors.Is: an *Error is equal to the one of its Type.
var (
	ErrPageNotFound           error = &Error{Type: PageNotFound}
	ErrFrameNotFound          error = &Error{Type: FrameNotFound}
	ErrSelectorNotFound       error = &Error{Type: SelectorNotFound}
	ErrInvalidSelector        error = &Error{Type: InvalidSelector}
	ErrElementNotInteractable error = &Error{Type: ElementNotInteractable}
	ErrTimeout                error = &Error{Type: TimeoutError}
	ErrNavigationFailed       error = &Error{Type: NavigationFailed}
	ErrScript                 error = &Error{Type: ScriptError}
	ErrPoolExhausted          error = &Error{Type: PoolExhausted}
	ErrTabCrashed             error = &Error{Type: TabCrashed}
	ErrBrowserUnavailable     error = &Error{Type: BrowserUnavailable}
	ErrURLBlocked             error = &Error{Type: URLBlocked}
	ErrInvalidArgument        error = &Error{Type: InvalidArgument}
	ErrCancelled              error = &Error{Type: Cancelled}
)

// Error is the error of every exported function of this package. Type and
// Message are always set; the other fields where they are known.
type Error struct {
	// Type is the kind of failure.
	Type ErrorType
	// Op is what was being done: "goto", "click", "lease", …
	Op string
	// TabID is the lease, FrameID the frame, Selector the selector as given.
	TabID, FrameID, Selector string
	// URL is the page or address concerned.
	URL string
	// Message says what was tried, what was found and what to do next, in
	// one or two sentences.
	Message string
	// Reason is one word for why an element could not be used: "hidden",
	// "disabled", "readonly", "zero-size", "moving", "covered", "detached",
	// "not-editable", "not-focusable", "refused" (a value that the input does
	// not take), "outside" (of what can be scrolled to).
	Reason string
	// CoveredBy describes what covers the element when Reason is "covered".
	CoveredBy string
	// NetError is Chrome's network error code, as "net::ERR_NAME_NOT_RESOLVED".
	NetError string
	// Candidates are what would have been accepted instead, if that is known.
	Candidates []string
	// Stack, Line and Column place a ScriptError in the code as given; Line
	// and Column count from 1, 0 is unknown.
	Stack        string
	Line, Column int
	// Log is what the operation saw on its way, oldest first.
	Log []string
	// Err is the cause, nil if there is none.
	Err error
}

// Error is the type and the message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	b.WriteString(string(e.Type))
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel of e's type.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Type == e.Type && t.Message == "" && t.Op == ""
}

// Timeout reports whether time ran out, as net.Error has it.
func (e *Error) Timeout() bool {
	return e.Type == TimeoutError || e.Type == PoolExhausted
}
