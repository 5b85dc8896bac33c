package selector

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// text reads the body of text= and label=: "exact", /regexp/i or words.
func (p *parser) text(engine Engine) (Step, error) {
	p.anySpace()
	if p.stepEnds() {
		return Step{}, p.missing("the text after " + string(engine) + "=")
	}
	step := Step{Engine: engine}
	start := p.pos
	switch p.src[start] {
	case '"', '\'':
		text, err := p.quotedText()
		if err != nil {
			return Step{}, err
		}
		if text == "" {
			return Step{}, p.errorf(start, "", "the text is empty")
		}
		step.Match = &Match{Text: text, Exact: true}
		return step, p.endStep("the closing quote")
	case '/':
		if m := p.regexp(); m != nil {
			if p.anySpace(); p.stepEnds() {
				step.Match = m
				return step, nil
			}
		}
		p.pos = start // a path, say
	}
	for !p.stepEnds() {
		p.pos++
	}
	step.Match = &Match{Text: normalize(p.src[start:p.pos]), IgnoreCase: true}
	return step, nil
}

func normalize(s string) string { return strings.Join(strings.Fields(s), " ") }

// quotedText reads a string in either quotes, in which a backslash takes the
// next character as it is, and returns it normalized.
func (p *parser) quotedText() (string, error) {
	start := p.pos
	quote := rune(p.src[start])
	var b strings.Builder
	escaped := false
	for i, r := range p.src[start+1:] {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == quote:
			p.pos = start + 1 + i + 1
			return normalize(b.String()), nil
		default:
			b.WriteRune(r)
		}
	}
	return "", p.errorf(start, "", "unclosed quote")
}

// A slash inside of a class does not end the expression. Of the flags, d, g
// and y mean nothing to a test and would give the RegExp object a state.
var regexpLiteral = regexp.MustCompile(`^/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+)/([dgimsuvy]*)`)

// regexp reads a regular expression and its flags; it returns nil, and stays
// where it is, if there is none.
func (p *parser) regexp() *Match {
	m := regexpLiteral.FindStringSubmatch(p.src[p.pos:])
	if m == nil {
		return nil
	}
	p.pos += len(m[0])
	flags := strings.Map(func(r rune) rune {
		if strings.ContainsRune("dgy", r) {
			return -1
		}
		return r
	}, m[2])
	return &Match{Regexp: m[1], Flags: flags}
}

// xpath reads an XPath expression, with or without its prefix.
func (p *parser) xpath() (Step, error) {
	p.space()
	start := p.pos
	var open []int
	for ; !p.end() && (len(open) > 0 || !p.stepEnds()); p.pos++ {
		switch c := p.src[p.pos]; c {
		case '"', '\'': // without escapes
			n := strings.IndexByte(p.src[p.pos+1:], c)
			if n < 0 {
				return Step{}, p.errorf(p.pos, "", "unclosed quote")
			}
			p.pos += n + 1
		case '(', '[':
			open = append(open, p.pos)
		case ')', ']':
			if len(open) == 0 {
				return Step{}, p.errorf(p.pos, "", "unexpected %q", string(c))
			}
			open = open[:len(open)-1] // that they match is the browser's to check
		case ',':
			if len(open) == 0 {
				return Step{}, p.endStep("the expression")
			}
		}
	}
	if len(open) > 0 {
		at := open[len(open)-1]
		return Step{}, p.errorf(at, "", "unclosed %q", p.src[at:at+1])
	}
	body := strings.TrimRight(p.src[start:p.pos], cssSpace)
	if body == "" {
		return Step{}, p.missing("the expression after xpath=")
	}
	return Step{Engine: XPath, Body: body}, nil
}

var refName = regexp.MustCompile(`^\s*([A-Za-z0-9_-]+)`)

// ref reads the body of ref=.
func (p *parser) ref() (Step, error) {
	m := refName.FindStringSubmatch(p.src[p.pos:])
	if m == nil {
		return Step{}, p.missing(`a ref, such as the e12 of a snapshot,`)
	}
	p.pos += len(m[0])
	return Step{Engine: Ref, Body: m[1]}, p.endStep("the ref")
}

var roleName = regexp.MustCompile(`^\s*([A-Za-z][\w-]*)`)

// role reads the body of role=: the role and its conditions in brackets.
func (p *parser) role() (Step, error) {
	m := roleName.FindStringSubmatch(p.src[p.pos:])
	if m == nil {
		return Step{}, p.missing("the role after role=")
	}
	p.pos += len(m[0])
	step := Step{Engine: Role, Role: m[1]}
	seen := map[string]bool{}
	for {
		p.space()
		open := p.pos
		if !p.take("[") {
			return step, p.endStep("the role")
		}
		c, err := p.condition(open)
		if err != nil {
			return Step{}, err
		}
		if seen[c.name] {
			return Step{}, p.errorf(open, "", "a second [%s]", c.name)
		}
		seen[c.name] = true
		if err := c.apply(&step); err != "" {
			return Step{}, p.errorf(open, err, "[%s] cannot be used like this", c.name)
		}
	}
}

// condition is what a role has in brackets.
type condition struct {
	name   string
	op     string // "", "=" or "*="
	value  string
	regexp *Match
	fold   bool // with the flag i
}

var (
	conditionName = regexp.MustCompile(`^\s*([A-Za-z-]+)\s*([*^$~|]?=)?\s*`)
	conditionEnd  = regexp.MustCompile(`^\s*(?:\s([iIsS])\s*)?\]`)
	quotedEnd     = regexp.MustCompile(`^\s*([iIsS])?\s*\]`)
	bareValue     = regexp.MustCompile(`^[^\s\]"'/]+`)
)

// condition reads up to the bracket that closes the one at open.
func (p *parser) condition(open int) (condition, error) {
	m := conditionName.FindStringSubmatch(p.src[p.pos:])
	if m == nil {
		return condition{}, p.missing("the name of a condition")
	}
	p.pos += len(m[0])
	c := condition{name: m[1], op: m[2]}
	end := conditionEnd
	if c.op != "" && !p.end() {
		switch p.src[p.pos] {
		case '"', '\'':
			text, err := p.quotedText()
			if err != nil {
				return condition{}, err
			}
			c.value, end = text, quotedEnd
		case '/':
			c.regexp = p.regexp()
		default:
			c.value = bareValue.FindString(p.src[p.pos:])
			p.pos += len(c.value)
			if c.value == "" {
				return condition{}, p.missing("the value of " + c.name)
			}
		}
	}
	tail := end.FindStringSubmatch(p.src[p.pos:])
	switch {
	case tail != nil:
		p.pos += len(tail[0])
		c.fold = strings.EqualFold(tail[1], "i")
		return c, nil
	case strings.IndexByte(p.src[p.pos:], ']') < 0:
		return condition{}, p.errorf(open, "", `unclosed "["`)
	}
	p.space()
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return condition{}, p.errorf(p.pos, `a value with blanks or signs in it has to be quoted`, "unexpected %q", string(r))
}

// apply adds the condition to step, or says what would be right.
func (c condition) apply(step *Step) (hint string) {
	var values []string
	switch c.name {
	case "name":
		return c.applyName(step)
	case "checked", "pressed":
		values = []string{"true", "false", "mixed"}
	case "disabled", "expanded", "selected", "include-hidden":
		values = []string{"true", "false"}
	case "level":
		values = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	default:
		return `a role has [name="…"], [checked], [disabled], [expanded], [level=…], [pressed], [selected] and [include-hidden]`
	}
	value := c.value
	if c.op == "" && c.name != "level" {
		value = "true"
	}
	if c.op != "" && c.op != "=" || c.regexp != nil || !slices.Contains(values, value) {
		return "its values are " + strings.Join(values, ", ")
	}
	if c.name == "include-hidden" {
		step.IncludeHidden = value == "true"
		return ""
	}
	if step.States == nil {
		step.States = map[string]string{}
	}
	step.States[c.name] = value
	return ""
}

func (c condition) applyName(step *Step) (hint string) {
	switch {
	case c.regexp != nil && c.op == "=" && !c.fold:
		step.Match = c.regexp
	case c.regexp == nil && (c.op == "=" || c.op == "*="):
		step.Match = &Match{Text: c.value, Exact: c.op == "=", IgnoreCase: c.fold}
	default:
		return `write [name="Save"] for the whole name, [name*="Save"] for a part of it, either with i before the bracket to ignore case, or [name=/save/i]`
	}
	return ""
}
