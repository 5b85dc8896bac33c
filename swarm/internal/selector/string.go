package selector

import (
	"maps"
	"slices"
	"strings"
)

// String returns the selector in its canonical form, which parses to the same
// Selector.
func (s Selector) String() string {
	chains := make([]string, len(s.Alternatives))
	for i, c := range s.Alternatives {
		chains[i] = c.String()
	}
	return strings.Join(chains, ", ")
}

// String returns the chain with single blanks around its combinators.
func (c Chain) String() string {
	var parts []string
	for _, step := range c {
		if step.Combinator != "" {
			parts = append(parts, string(step.Combinator))
		}
		parts = append(parts, step.String())
	}
	return strings.Join(parts, " ")
}

// String returns the step without its combinator.
func (s Step) String() string {
	switch s.Engine {
	case CSS:
		return s.Body
	case XPath, Ref:
		return string(s.Engine) + "=" + s.Body
	case Text, Label:
		if s.Match.Regexp == "" && !s.Match.Exact {
			return string(s.Engine) + "=" + s.Match.Text
		}
		return string(s.Engine) + "=" + s.Match.literal()
	}
	var b strings.Builder
	b.WriteString("role=" + s.Role)
	if m := s.Match; m != nil {
		op, flag := "=", ""
		if m.Regexp == "" && !m.Exact {
			op = "*="
		}
		if m.IgnoreCase {
			flag = " i"
		}
		b.WriteString("[name" + op + m.literal() + flag + "]")
	}
	for _, name := range slices.Sorted(maps.Keys(s.States)) {
		b.WriteString("[" + name + "=" + s.States[name] + "]")
	}
	if s.IncludeHidden {
		b.WriteString("[include-hidden]")
	}
	return b.String()
}

// literal returns the regular expression or the text in double quotes.
func (m *Match) literal() string {
	if m.Regexp != "" {
		return "/" + m.Regexp + "/" + m.Flags
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(m.Text) + `"`
}
