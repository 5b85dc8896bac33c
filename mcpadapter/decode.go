package mcpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// decode fills the struct behind target, a pointer, from a tool's arguments.
// What the schema does not allow is an INVALID_ARGUMENT that names every
// argument at fault, what came and what is accepted. Absent arguments take
// their defaults.
func decode(tool string, ps properties, raw json.RawMessage, target any) error {
	given := map[string]json.RawMessage{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &given); err != nil {
			return invalid(tool, nil, "the arguments of %s are %s; they must be an object", tool, describe(raw))
		}
	}
	var problems, candidates []string
	value := reflect.ValueOf(target).Elem()
	for _, p := range ps {
		arg, ok := given[p.name]
		delete(given, p.name)
		field := value.FieldByIndex(p.index)
		switch {
		case ok:
			if complaint := p.schema.assign(field, arg); complaint != "" {
				problems = append(problems, fmt.Sprintf("%q %s", p.name, complaint))
				candidates = append(candidates, p.schema.accepted()...)
			}
		case p.required:
			problems = append(problems, fmt.Sprintf("%q is missing; it must be %s", p.name, p.schema.wanted()))
		case p.schema.Default != nil:
			field.Set(reflect.ValueOf(p.schema.Default).Convert(field.Type()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		problems = append(problems, unknownArgument(tool, clip(name, 40), ps.names()))
	}
	if len(given) > 0 {
		candidates = append(candidates, ps.names()...)
	}
	if problems == nil {
		return nil
	}
	return invalid(tool, candidates, "%s", strings.Join(problems, ". "))
}

// invalid is an INVALID_ARGUMENT of a tool.
func invalid(tool string, candidates []string, format string, args ...any) error {
	return &swarm.Error{Type: swarm.InvalidArgument, Op: tool, Candidates: candidates, Message: fmt.Sprintf(format, args...)}
}

func unknownArgument(tool, name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("%q is not an argument of %s, which takes none", name, tool)
	}
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("%q is not an argument of %s; did you mean %q? It takes %s", name, tool, near, strings.Join(known, ", "))
	}
	return fmt.Sprintf("%q is not an argument of %s; it takes %s", name, tool, strings.Join(known, ", "))
}

// assign sets field to the JSON value raw, or says what is wrong with it.
func (s *schema) assign(field reflect.Value, raw json.RawMessage) (complaint string) {
	complaint = fmt.Sprintf("is %s; it must be %s", describe(raw), s.wanted())
	switch s.Type {
	case "string":
		var text string
		if raw[0] != '"' || json.Unmarshal(raw, &text) != nil || len(text) < s.MinLength {
			return complaint
		}
		if s.Enum != nil && !slices.Contains(s.Enum, text) {
			if near := nearest(text, s.Enum); near != "" {
				return complaint + fmt.Sprintf("; did you mean %q?", near)
			}
			return complaint
		}
		field.SetString(text)
	case "integer":
		n, ok := integer(raw)
		if !ok || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
			return complaint
		}
		field.SetInt(int64(n))
	case "boolean":
		if string(raw) != "true" && string(raw) != "false" {
			return complaint
		}
		field.SetBool(string(raw) == "true")
	case "array":
		var items []json.RawMessage
		if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
			return complaint
		}
		field.Set(reflect.MakeSlice(field.Type(), len(items), len(items)))
		for i, item := range items {
			if wrong := s.Items.assign(field.Index(i), item); wrong != "" {
				return fmt.Sprintf("has at %d what %s", i, wrong)
			}
		}
	default:
		panic("mcpadapter: no argument can be of type " + s.Type)
	}
	return ""
}

// integer accepts what JSON Schema calls an integer: 3e4 and 30000.0 too.
func integer(raw json.RawMessage) (int, bool) {
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// wanted says what a value must be, to follow "must be".
func (s *schema) wanted() string {
	switch {
	case s.Enum != nil:
		return "one of " + quoted(s.Enum)
	case s.Type == "string" && s.MinLength > 0:
		return "a string that is not empty"
	case s.Type == "string":
		return "a string"
	case s.Type == "boolean":
		return "true or false"
	case s.Type == "array" && s.Items.Enum != nil:
		return "an array of " + quoted(s.Items.Enum)
	case s.Type == "array":
		return "an array of strings"
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("an integer from %d to %d", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("an integer of at least %d", *s.Minimum)
	default:
		return "an integer"
	}
}

// accepted are the values that could have been given, where they can be told.
func (s *schema) accepted() []string {
	if s.Items != nil {
		return s.Items.Enum
	}
	return s.Enum
}

// describe names a JSON value that was not accepted, shortened.
func describe(raw json.RawMessage) string {
	switch raw[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "the boolean " + string(raw)
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		if string(raw) == `""` {
			return "empty"
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "a string"
		}
		return "the string " + strconv.Quote(clip(s, 60))
	default:
		return "the number " + clip(string(raw), 60)
	}
}

func quoted(values []string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = strconv.Quote(v)
	}
	return strings.Join(parts, ", ")
}

// nearest is the known name that was probably meant, or "": the same but for
// case and separators, or few letters away.
func nearest(name string, known []string) string {
	best, bestDistance := "", 1+min(3, len(name)/3)
	for _, k := range known {
		if d := editDistance(fold(name), fold(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
