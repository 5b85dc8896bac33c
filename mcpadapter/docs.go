package mcpadapter

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

const generated = "<!-- Generated from the declarations in mcpadapter: go test ./mcpadapter -run TestDocs -update -->\n\n"

// ToolTable is the table of all tools for the README, in Markdown.
func ToolTable() string {
	var b strings.Builder
	b.WriteString("| tool | arguments | what it does |\n| --- | --- | --- |\n")
	for _, t := range declared() {
		var args []string
		for _, p := range t.input.Properties {
			args = append(args, "`"+p.name+optionalMark(p)+"`")
		}
		if args == nil {
			args = []string{"–"}
		}
		sentence, _, _ := strings.Cut(t.doc, ". ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.name, strings.Join(args, ", "), cell(strings.TrimSuffix(sentence, ".")))
	}
	return b.String()
}

// toolDocs is docs/tools.md.
func toolDocs(tools []tool) string {
	var b strings.Builder
	b.WriteString(generated + "# Tools\n\n")
	b.WriteString("Every result is one JSON object, as text and as `structuredContent`; a failed call gives an error object instead, see [errors.md](errors.md). Times are milliseconds. Arguments marked `?` are optional.\n\n")
	b.WriteString("Text longer than the limit (`max_chars`, the server's `--max-chars`) is cut, with `\"truncated\":true`, `total_chars` and `next_offset`.\n")
	group := ""
	for _, t := range tools {
		if t.group != group {
			group = t.group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", t.name, t.doc)
		if len(t.input.Properties) > 0 {
			b.WriteString("\n| argument | type | meaning |\n| --- | --- | --- |\n")
			writeRows(&b, t.input.Properties)
		}
		b.WriteString("\n| result | type | meaning |\n| --- | --- | --- |\n")
		writeRows(&b, t.output.Properties)
		fmt.Fprintf(&b, "\n```json\n%s\n%s\n```\n", t.exampleArgs, t.exampleResult)
	}
	return b.String()
}

func writeRows(b *strings.Builder, ps properties) {
	for _, p := range ps {
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", p.name, optionalMark(p), cell(p.schema.typeWords()), cell(p.schema.meaning()))
	}
}

func optionalMark(p property) string {
	if p.required {
		return ""
	}
	return "?"
}

// typeWords name a type, or the values of an enumeration.
func (s *schema) typeWords() string {
	switch {
	case s.Enum != nil:
		return "`" + strings.Join(s.Enum, "` · `") + "`"
	case s.Items != nil:
		return "array of " + s.Items.typeWords()
	case s.Properties != nil:
		return "{" + strings.Join(s.Properties.names(), ", ") + "}"
	case s.Type == "":
		return "any JSON"
	default:
		return s.Type
	}
}

// meaning is the description, the default and the range.
func (s *schema) meaning() string {
	parts := []string{}
	if s.Description != "" {
		parts = append(parts, s.Description)
	}
	if s.Default != nil && s.Default != false {
		parts = append(parts, fmt.Sprintf("default `%v`", s.Default))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, fmt.Sprintf("%d to %d", *s.Minimum, *s.Maximum))
	case s.Minimum != nil && *s.Minimum > 0:
		parts = append(parts, fmt.Sprintf("at least %d", *s.Minimum))
	}
	return strings.Join(parts, "; ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// errorDoc says when an error type comes and what to do about it.
type errorDoc struct {
	of         swarm.ErrorType
	when, next string
}

func errorDocs() []errorDoc {
	return []errorDoc{
		{swarm.PageNotFound, "The tab id was never leased by this session, or its lease is over: released, or reclaimed after idling.", "`navigate` without `tabId` for a new tab."},
		{swarm.FrameNotFound, "The frame id is unknown, or the frame was removed.", "Leave `frame_id` out, or find the frame again."},
		{swarm.SelectorNotFound, "Nothing matched before the action timeout.", "Look at the page with `get_content`; mend the selector, or wait longer with `wait_for_selector`."},
		{swarm.InvalidSelector, "The selector does not parse. Comes at once.", "Mend the selector; the message says where it went wrong."},
		{swarm.ElementNotInteractable, "The element is there, but hidden, disabled, zero-sized, moving or covered until the timeout: `reason` and `covered_by` say which.", "Deal with what is in the way (close the overlay, fill the form), or click with `force`."},
		{swarm.TimeoutError, "A wait, a navigation or a script ran out of time. A navigation that names a `tabId` had its document: the page can be used.", "Go on with the page as it is, try again with a longer `timeout`, or wait for less."},
		{swarm.NavigationFailed, "The browser could not load the document; `net_error` is Chrome's code.", "Check the URL. A new lease was given back."},
		{swarm.ScriptError, "The page's or the script's own code threw; `line`, `column` and `stack` place it.", "Mend the script."},
		{swarm.PoolExhausted, "No tab became idle within the lease timeout.", "`release_tab` what is no longer needed, or start the server with more tabs."},
		{swarm.TabCrashed, "The page's process died or the tab was closed under the call. The lease is over.", "`navigate` without `tabId` for a new tab."},
		{swarm.BrowserUnavailable, "No browser could be found, started or reached; the message says what was looked for.", "Install one (`swarm-mcp install`, `swarm-mcp doctor`); the next call tries again."},
		{swarm.URLBlocked, "The server's URL policy forbids the address.", "Use another address."},
		{swarm.InvalidArgument, "An argument is missing, unknown, of the wrong type or out of range; the message names it.", "Mend the call; `candidates` are what would be accepted."},
		{swarm.Cancelled, "The request was cancelled, or the connection ended.", "Nothing, or call again."},
		{swarm.UnexpectedError, "A fault of the server; its log has the details.", "Try again; report it if it stays."},
	}
}

// errorsDoc is docs/errors.md.
func errorsDoc() string {
	var b strings.Builder
	b.WriteString(generated + "# Errors\n\n")
	b.WriteString("A tool that fails gives a result with `isError` and this object, as text and as `structuredContent`. JSON-RPC errors are left for malformed requests (-32700, -32600), unknown methods (-32601) and unknown tools (-32602). In Go the types are `swarm.ErrorType`, and `errors.Is` knows them by `swarm.ErrPageNotFound` and so on.\n\n")
	b.WriteString("| error_type | when | what to do |\n| --- | --- | --- |\n")
	for _, d := range errorDocs() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.of, cell(d.when), cell(d.next))
	}
	b.WriteString("\n## The error object\n\n| field | type | meaning |\n| --- | --- | --- |\n")
	writeRows(&b, schemaOf(reflect.TypeFor[failure]()).Properties)
	return b.String()
}
