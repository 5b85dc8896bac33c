package selector

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// cssScanner finds the end of one complex CSS selector and what no browser
// takes in it. It knows strings, escapes, comments and brackets; outside of
// brackets also names and combinators.
type cssScanner struct {
	*parser
	first, last int   // the significant part of src so far, first < 0 before any
	open        []int // positions of the brackets not yet closed
	combinator  int   // position of a combinator that still lacks its right side, or -1
}

// css reads a complex selector up to a comma, a run of > or the end. Comments
// and white space around it are dropped.
func (p *parser) css() (Step, error) {
	s := cssScanner{parser: p, first: -1, combinator: -1}
	for s.space(); !s.atEnd(); s.space() {
		if err := s.token(); err != nil {
			return Step{}, err
		}
	}
	switch {
	case len(s.open) > 0:
		at := s.open[len(s.open)-1]
		return Step{}, p.errorf(at, "", "unclosed %q", p.src[at:at+1])
	case s.first < 0:
		return Step{}, p.missing("a selector")
	case s.combinator >= 0:
		return Step{}, p.errorf(s.combinator, "", "nothing follows %q", p.src[s.combinator:s.combinator+1])
	}
	return Step{Engine: CSS, Body: p.src[s.first:s.last]}, nil
}

func (s *cssScanner) atEnd() bool {
	return s.end() || len(s.open) == 0 && (s.src[s.pos] == ',' || s.run('>') > 1)
}

// token reads one token. pos is not at the end and not at white space.
func (s *cssScanner) token() error {
	start := s.pos
	if strings.HasPrefix(s.src[start:], "/*") {
		n := strings.Index(s.src[start+2:], "*/")
		if n < 0 {
			return s.errorf(start, "", "unclosed comment")
		}
		s.pos += n + 4
		return nil
	}

	var err error
	switch c := s.src[start]; {
	case c == '"' || c == '\'':
		err = s.skipString()
	case c == '\\':
		err = s.escape()
	case c == '(' || c == '[':
		err = s.opening(c)
	case c == ')' || c == ']':
		err = s.closing(c)
	case s.inside('['):
		s.pos++
	case c == ':':
		err = s.pseudo()
	case c == '>' && s.run('>') > 1: // inside parentheses
		err = s.errorf(start, `":is", ":not" and ":has" do not look into shadow roots; write the steps one after the other, alternatives as a list with commas`,
			"%q inside of parentheses", s.src[start:start+s.run('>')])
	case len(s.open) > 0:
		s.pos++
	default:
		err = s.compound(c)
	}
	if err != nil {
		return err
	}

	if s.first < 0 {
		s.first = start
	}
	s.last = s.pos
	if s.combinator != start {
		s.combinator = -1
	}
	return nil
}

// compound reads a token that stands outside of all brackets.
func (s *cssScanner) compound(c byte) error {
	switch c {
	case '>', '+', '~':
		return s.cssCombinator()
	case '#', '.':
		return s.hashOrClass(c)
	case '*', '|', '&':
		s.pos++
		return nil
	case '=':
		return s.errorf(s.pos, `attributes are written [name="value"]; an engine such as text= may only begin a step, as in "div >>> text=Save"`, `"=" outside of brackets`)
	case '/':
		return s.errorf(s.pos, `XPath is written xpath=//…, what is in a shadow root "host >>> element"`, `unexpected "/"`)
	}
	if n := len(nameChars.FindString(s.src[s.pos:])); n > 0 {
		s.pos += n
		return nil
	}
	return s.errorf(s.pos, "", "unexpected %q", string(c))
}

var (
	nameChars = regexp.MustCompile(`^[\w\-\x{80}-\x{10FFFF}]+`)
	nameStart = regexp.MustCompile(`^(-?[A-Za-z_\x{80}-\x{10FFFF}]|-?\\|--)`)
)

func (s *cssScanner) cssCombinator() error {
	c := s.src[s.pos : s.pos+1]
	switch {
	case s.first < 0:
		return s.errorf(s.pos, `":scope" stands for the root`, "nothing precedes %q", c)
	case s.combinator >= 0:
		return s.errorf(s.pos, "", "%q follows %q", c, s.src[s.combinator:s.combinator+1])
	}
	s.combinator = s.pos
	s.pos++
	return nil
}

// hashOrClass reads a # or . and leaves the name after it to the next token.
func (s *cssScanner) hashOrClass(c byte) error {
	rest := s.src[s.pos+1:]
	if nameStart.MatchString(rest) {
		s.pos++
		return nil
	}
	what, attr, op := "an id", "id", "="
	if c == '.' {
		what, attr, op = "a class", "class", "~="
	}
	name := nameChars.FindString(rest)
	if name == "" {
		return s.errorf(s.pos, "", "%q without a name", string(c))
	}
	return s.errorf(s.pos, fmt.Sprintf(`write [%s%s"%s"]`, attr, op, name), "%s in CSS cannot begin with a digit", what)
}

// skipString reads a quoted string. A newline ends it unless it is escaped.
func (s *cssScanner) skipString() error {
	start, quote := s.pos, s.src[s.pos]
	for s.pos++; !s.end() && s.src[s.pos] != '\n'; s.pos++ {
		switch s.src[s.pos] {
		case quote:
			s.pos++
			return nil
		case '\\':
			s.pos++
		}
	}
	return s.errorf(start, "", "unclosed quote")
}

// escape reads a backslash and what it escapes: a character, or up to six
// hexadecimal digits (of which the first is enough here: the others are name
// characters).
func (s *cssScanner) escape() error {
	if s.pos+1 == len(s.src) {
		return s.errorf(s.pos, "", "nothing follows the backslash")
	}
	_, n := utf8.DecodeRuneInString(s.src[s.pos+1:])
	s.pos += 1 + n
	return nil
}

func (s *cssScanner) opening(c byte) error {
	if c == '(' && len(s.open) == 0 && !s.afterName() {
		return s.errorf(s.pos, "", `unexpected "("`)
	}
	s.open = append(s.open, s.pos)
	s.pos++
	return nil
}

// afterName reports whether what was read last stands directly before pos and
// may be the name of a pseudo-class.
func (s *cssScanner) afterName() bool {
	return s.first >= 0 && s.last == s.pos && s.combinator < 0
}

func (s *cssScanner) closing(c byte) error {
	want := byte('(')
	if c == ']' {
		want = '['
	}
	switch {
	case len(s.open) == 0:
		return s.errorf(s.pos, "", "unexpected %q", string(c))
	case !s.inside(want):
		at := s.open[len(s.open)-1]
		return s.errorf(s.pos, fmt.Sprintf("the %q at character %d is still open", s.src[at:at+1], utf8.RuneCountInString(s.src[:at])+1),
			"unexpected %q", string(c))
	}
	s.open = s.open[:len(s.open)-1]
	s.pos++
	return nil
}

// inside reports whether the innermost open bracket is c.
func (s *cssScanner) inside(c byte) bool {
	n := len(s.open)
	return n > 0 && s.src[s.open[n-1]] == c
}

// pseudo reads a colon, or two, and checks the name after it against what
// other tools have added to CSS.
func (s *cssScanner) pseudo() error {
	colons := min(s.run(':'), 2)
	name := nameChars.FindString(s.src[s.pos+colons:])
	if hint := foreignPseudo(strings.ToLower(name)); hint != "" {
		return s.errorf(s.pos, hint, "%q is not CSS", s.src[s.pos:s.pos+colons+len(name)])
	}
	s.pos += colons + len(name)
	if name == "" && len(s.open) == 0 && !strings.HasPrefix(s.src[s.pos:], `\`) {
		return s.errorf(s.pos-colons, "", `":" without a name`)
	}
	return nil
}

// foreignPseudo returns what to write instead of a pseudo-class of Playwright,
// jQuery or Puppeteer, "" if name is none of them.
func foreignPseudo(name string) string {
	switch name {
	case "has-text", "text", "text-is", "text-matches", "contains", "-p-text":
		return `use text=… ("article >>> text=Save"), or xpath=//article[contains(., "Save")] for the element around the text`
	case "visible":
		return "leave it out, the first visible match is preferred anyway"
	case "hidden":
		return "wait for the state hidden, or select by attribute: [hidden]"
	case "eq", "first", "last", "nth-match", "nth":
		return "use :nth-child() or :nth-of-type(), or xpath=(//a)[2] for the second of all"
	case "-p-aria":
		return `use role=button[name="Save"]`
	case "-p-xpath":
		return "use xpath=//…"
	}
	return ""
}
