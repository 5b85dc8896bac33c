package selector

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError is the error of Parse.
type SyntaxError struct {
	// Selector is the selector as it was given.
	Selector string
	// Pos is where in Selector the trouble is, in bytes from 0. It is
	// len(Selector) when something is missing at the end.
	Pos int
	// Msg says what is wrong, Hint what to write instead; Hint may be empty.
	Msg, Hint string
}

// Error is Msg, the place as the number of a character from 1, and Hint.
func (e *SyntaxError) Error() string {
	where := "at the end of"
	if e.Pos < len(e.Selector) {
		where = fmt.Sprintf("at character %d of", utf8.RuneCountInString(e.Selector[:e.Pos])+1)
	}
	if e.Selector == "" {
		return joinHint(e.Msg, e.Hint)
	}
	return joinHint(fmt.Sprintf("%s %s %s", e.Msg, where, quoted(e.Selector)), e.Hint)
}

func joinHint(msg, hint string) string {
	if hint == "" {
		return msg
	}
	return msg + ": " + hint
}

// quoted puts s in the quotes that need no escapes, if there are such.
func quoted(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
