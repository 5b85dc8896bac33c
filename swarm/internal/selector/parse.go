package selector

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse parses a selector. Its error is a *SyntaxError.
func Parse(s string) (Selector, error) {
	p := parser{src: s}
	sel, err := p.selector()
	if err != nil {
		return Selector{}, err
	}
	return sel, nil
}

// parser reads src from left to right; its methods return *SyntaxError as
// error.
type parser struct {
	src string
	pos int
}

func (p *parser) errorf(pos int, hint, format string, args ...any) error {
	return &SyntaxError{Selector: p.src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// selector reads the whole: chains with commas between them.
func (p *parser) selector() (Selector, error) {
	if !utf8.ValidString(p.src) {
		return Selector{}, p.errorf(invalidUTF8(p.src), "", "invalid UTF-8")
	}
	if p.space(); p.end() {
		return Selector{}, p.errorf(p.pos, "", "the selector is empty")
	}
	var sel Selector
	for {
		chain, err := p.chain()
		if err != nil {
			return Selector{}, err
		}
		sel.Alternatives = append(sel.Alternatives, chain)
		if !p.take(",") {
			return sel, nil // chain stops only at a comma or the end
		}
	}
}

// chain reads steps up to a comma after a CSS step, or to the end.
func (p *parser) chain() (Chain, error) {
	var chain Chain
	p.space()
	combinator, err := p.combinator()
	if err != nil {
		return nil, err
	}
	for {
		step, err := p.step()
		if err != nil {
			return nil, err
		}
		step.Combinator = combinator
		chain = append(chain, step)
		combinator, err = p.combinator()
		if err != nil || combinator == "" {
			return chain, err
		}
	}
}

// combinator reads >>> or >>>> and the white space after it, if there is one.
func (p *parser) combinator() (Combinator, error) {
	n := p.run('>')
	switch n {
	case 0, 1: // one is CSS's own
		return "", nil
	case 3, 4:
		c := Combinator(p.src[p.pos : p.pos+n])
		p.pos += n
		p.space()
		return c, nil
	}
	return "", p.errorf(p.pos, `use ">>>" to search below an element and in its shadow roots; text that contains ">>" has to be quoted`,
		"unknown combinator %q", p.src[p.pos:p.pos+n])
}

// The forms a step may begin with.
var (
	enginePrefix = regexp.MustCompile(`^([A-Za-z_][\w-]*)=`)
	bareXPath    = regexp.MustCompile(`^[(\s]*(\.\.(/|$)|\.?/([^*]|$))`)
)

// step reads one step up to, not including, what ends it.
func (p *parser) step() (Step, error) {
	rest := p.src[p.pos:]
	if bareXPath.MatchString(rest) {
		return p.xpath()
	}
	prefix := enginePrefix.FindStringSubmatch(rest)
	if prefix == nil {
		return p.css()
	}
	start := p.pos
	p.pos += len(prefix[0])
	switch engine := Engine(prefix[1]); engine {
	case Text, Label:
		return p.text(engine)
	case Role:
		return p.role()
	case XPath:
		return p.xpath()
	case Ref:
		return p.ref()
	case CSS:
		return Step{}, p.errorf(start, "a CSS selector is written as it is", `unknown engine "css="`)
	default:
		return Step{}, p.errorf(start,
			fmt.Sprintf(`the engines are text=, label=, role=, xpath= and ref=; for an attribute write [%s="…"]`, engine),
			"unknown engine %q", prefix[0])
	}
}

// missing is the error of a step with nothing in it.
func (p *parser) missing(what string) error {
	return p.errorf(p.pos, "", "%s is missing", what)
}

// endStep checks that a step that is not CSS ends here.
func (p *parser) endStep(after string) error {
	p.anySpace()
	if p.stepEnds() {
		return nil
	}
	hint := ""
	if p.src[p.pos] == ',' {
		hint = "a list goes on only after CSS; put the CSS alternatives first"
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return p.errorf(p.pos, hint, "unexpected %q after %s", string(r), after)
}

func (p *parser) end() bool { return p.pos >= len(p.src) }

// stepEnds reports whether a step that is not CSS ends here. Two or five > end
// it too, for combinator to complain.
func (p *parser) stepEnds() bool { return p.end() || p.run('>') > 1 }

// space skips white space as CSS knows it.
func (p *parser) space() {
	p.pos = len(p.src) - len(strings.TrimLeft(p.src[p.pos:], cssSpace))
}

// anySpace skips white space as texts know it.
func (p *parser) anySpace() {
	p.pos = len(p.src) - len(strings.TrimLeftFunc(p.src[p.pos:], unicode.IsSpace))
}

const cssSpace = " \t\r\n\f"

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.src[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

// run is how many c follow.
func (p *parser) run(c byte) int {
	rest := p.src[p.pos:]
	n := 0
	for n < len(rest) && rest[n] == c {
		n++
	}
	return n
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(s)
}
