package mcpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// compactJSON is v on one line, as a reader expects to see it: without the
// escapes that encoding/json adds for HTML, so that a selector's >>> stays
// >>>, and as text that every client can decode.
func compactJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the JSON: %w", err)
	}
	return plainJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// plainJSON rewrites the escapes of a JSON text to the characters they mean
// and replaces what is not Unicode by U+FFFD. Encoder.SetEscapeHTML alone does
// not reach this far: the marshalers inside mcp-go escape on their own, and a
// script's result may hold half a surrogate pair, which makes a whole message
// undecodable in some clients. Quotes, backslashes, control characters and the
// two line separators (line breaks to some line readers) stay escaped.
func plainJSON(b []byte) []byte {
	if !utf8.Valid(b) {
		b = []byte(string([]rune(string(b)))) // U+FFFD for each wrong byte, as encoding/json has it
	}
	if !bytes.Contains(b, []byte(`\u`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 == len(b) {
			return append(out, b...)
		}
		out, b = append(out, b[:i]...), b[i:]
		r, size := escapedRune(b)
		if size == 0 || r < ' ' || r == '"' || r == '\\' || r == '\u2028' || r == '\u2029' {
			size = max(size, 2)
			out = append(out, b[:size]...)
		} else {
			out = utf8.AppendRune(out, r)
		}
		b = b[size:]
	}
}

// escapedRune decodes the \u escape, or the pair of them, at the start of b;
// size is 0 when there is none.
func escapedRune(b []byte) (r rune, size int) {
	r, ok := hexEscape(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hexEscape(b[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexEscape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}
