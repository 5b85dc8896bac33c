package mcpadapter

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// success is the result of a tool: its output as one JSON object, both as text
// and as structuredContent, and the picture, if there is one, ahead of it.
func success(out any) (*mcp.CallToolResult, error) {
	text, err := compactJSON(out)
	if err != nil {
		return nil, err
	}
	var content []mcp.Content
	if p, ok := out.(interface{ picture() *swarm.Image }); ok && p.picture() != nil {
		data := base64.StdEncoding.EncodeToString(p.picture().Data)
		content = append(content, mcp.NewImageContent(data, p.picture().MIMEType))
	}
	return &mcp.CallToolResult{
		Content:           append(content, mcp.NewTextContent(string(text))),
		StructuredContent: json.RawMessage(text),
	}, nil
}

// failure is the error object of the tool contract.
type failure struct {
	Status     string          `json:"status" jsonschema:"Always error"`
	ErrorType  swarm.ErrorType `json:"error_type" jsonschema:"One of the types above"`
	Message    string          `json:"message" jsonschema:"What was tried, what was found and what to do next"`
	TabID      string          `json:"tabId,omitempty" jsonschema:"The tab. Absent when it was given back"`
	FrameID    string          `json:"frame_id,omitempty" jsonschema:"The frame"`
	Selector   string          `json:"selector,omitempty" jsonschema:"The selector as given"`
	URL        string          `json:"url,omitempty" jsonschema:"The page or address concerned"`
	Reason     string          `json:"reason,omitempty" jsonschema:"Why an element could not be used: hidden, disabled, readonly, zero-size, moving, covered, detached, not-editable or outside"`
	CoveredBy  string          `json:"covered_by,omitempty" jsonschema:"What covers the element"`
	NetError   string          `json:"net_error,omitempty" jsonschema:"Chrome's network error code"`
	Candidates []string        `json:"candidates,omitempty" jsonschema:"What would have been accepted"`
	Line       int             `json:"line,omitempty" jsonschema:"Line of a script error in the code as given, from 1"`
	Column     int             `json:"column,omitempty" jsonschema:"Column of a script error, from 1"`
	Stack      string          `json:"stack,omitempty" jsonschema:"Stack of a script error"`
	Log        []string        `json:"log,omitempty" jsonschema:"What the call saw on its way, oldest first"`
	dialogReport
}

// Bounds of an error object. What it echoes comes from the caller or the page
// and may be of any length; the reader is a model that pays for each word.
const (
	maxErrorText = 2000
	maxErrorLog  = 12
)

// failureOf maps any error to the error object. Only a *swarm.Error speaks for
// itself; of any other error nothing is shown, since its text is made for
// programmers.
func failureOf(tool string, err error) *failure {
	var e *swarm.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = &swarm.Error{Type: swarm.Cancelled, Message: tool + " was cancelled before it was done"}
	case errors.Is(err, context.DeadlineExceeded):
		e = &swarm.Error{Type: swarm.TimeoutError, Message: tool + " ran out of time; try again with a longer timeout"}
	default:
		e = &swarm.Error{Type: swarm.UnexpectedError, Message: tool + " failed inside the server, whose log has the details; trying again may help"}
	}
	log := e.Log[max(0, len(e.Log)-maxErrorLog):]
	f := &failure{
		Status:     "error",
		ErrorType:  e.Type,
		Message:    clip(e.Message, maxErrorText),
		TabID:      clip(e.TabID, maxErrorText),
		FrameID:    clip(e.FrameID, maxErrorText),
		Selector:   clip(e.Selector, maxErrorText),
		URL:        clip(e.URL, maxErrorText),
		Reason:     e.Reason,
		CoveredBy:  clip(e.CoveredBy, maxErrorText),
		NetError:   e.NetError,
		Candidates: e.Candidates,
		Line:       e.Line,
		Column:     e.Column,
		Stack:      clip(e.Stack, maxErrorText),
	}
	for _, line := range log {
		f.Log = append(f.Log, clip(line, 300))
	}
	if f.Message == "" {
		f.Message = fmt.Sprintf("%s failed: %s", tool, strings.ToLower(strings.ReplaceAll(string(e.Type), "_", " ")))
	}
	return f
}

// clip shortens s to n characters, the last of them an ellipsis when some are
// missing.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := byteIndex(s, n-1)
	if utf8.RuneCountInString(s[end:]) <= 1 {
		return s
	}
	return s[:end] + "…"
}

// cutReport says that a result is a part of a longer text. Characters are
// Unicode code points.
type cutReport struct {
	Truncated  bool `json:"truncated,omitempty" jsonschema:"The text goes on"`
	TotalChars int  `json:"total_chars,omitempty" jsonschema:"Length of the whole text in characters"`
	NextOffset int  `json:"next_offset,omitempty" jsonschema:"Where the rest begins"`
}

// cut is the part of s from character offset on, at most limit characters.
func cut(s string, offset, limit int) (string, cutReport) {
	if offset == 0 && len(s) <= limit {
		return s, cutReport{}
	}
	rest := s[byteIndex(s, offset):]
	end := byteIndex(rest, limit)
	if offset == 0 && end == len(rest) {
		return s, cutReport{}
	}
	report := cutReport{TotalChars: utf8.RuneCountInString(s)}
	if end < len(rest) {
		report.Truncated = true
		report.NextOffset = offset + limit
	}
	return rest[:end], report
}

// cutJSON is a script's result when it fits into limit characters, else its
// beginning as a string: of the string that it is, or of its JSON text.
func cutJSON(raw json.RawMessage, limit int) (json.RawMessage, cutReport, error) {
	if len(raw) == 0 {
		return json.RawMessage("null"), cutReport{}, nil
	}
	text := string(plainJSON(raw))
	if _, report := cut(text, 0, limit); !report.Truncated {
		return json.RawMessage(text), cutReport{}, nil
	}
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		text = s
	}
	part, report := cut(text, 0, limit)
	raw, err := compactJSON(part)
	return raw, report, err
}

// byteIndex is where character n of s begins, len(s) if it has fewer.
func byteIndex(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// dialogReport is what a call says about the dialogs it met.
type dialogReport struct {
	Dialogs []swarm.Dialog `json:"dialogs,omitempty" jsonschema:"JavaScript dialogs met since the last call on the tab, already answered"`
}

// report adds dialogs. The library bounds their number; their text is the
// page's.
func (r *dialogReport) report(met []swarm.Dialog) {
	for _, d := range met {
		d.Message = clip(d.Message, maxErrorText)
		r.Dialogs = append(r.Dialogs, d)
	}
}
