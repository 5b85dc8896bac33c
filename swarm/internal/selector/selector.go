package selector

// Engine names the language of one Step.
type Engine string

// The engines.
const (
	CSS   Engine = "css"
	Text  Engine = "text"
	Label Engine = "label"
	Role  Engine = "role"
	XPath Engine = "xpath"
	Ref   Engine = "ref"
)

// Combinator relates a Step to the one before it; it is empty for the first
// step of a chain, unless the selector began with one.
type Combinator string

// The combinators. Both look in the open shadow roots of what the step before
// found and of what is below it: Deep at any depth, Child one root deep, each
// as in Puppeteer. Before the first step they start from the document.
const (
	Deep  Combinator = ">>>"
	Child Combinator = ">>>>"
)

// Selector is a parsed selector: an element matches if it matches one of the
// alternatives. Matches are to be given in document order, each once.
//
// As JSON, `#save, x-app >>> role=button[name="Save"][disabled]` is
//
//	{"alternatives":[
//	  [{"engine":"css","body":"#save"}],
//	  [{"engine":"css","body":"x-app"},
//	   {"combinator":">>>","engine":"role","role":"button",
//	    "match":{"text":"Save","exact":true},"states":{"disabled":"true"}}]]}
//
// A list goes on only after a CSS step: in text=a, b the comma is text.
type Selector struct {
	Alternatives []Chain `json:"alternatives"`
}

// Chain is one alternative: each step searches below the results of the one
// before it. It has at least one step.
type Chain []Step

// Step is one search. Which fields are set depends on Engine.
type Step struct {
	Combinator Combinator `json:"combinator,omitempty"`
	Engine     Engine     `json:"engine"`
	// Body is the CSS selector (a single complex selector, without commas at
	// the top), the XPath expression or the ref ("e12").
	Body string `json:"body,omitempty"`
	// Role is the ARIA role.
	Role string `json:"role,omitempty"`
	// Match is what the element's text (Text), its label (Label) or its
	// accessible name (Role) is compared with; nil for a role with any name.
	Match *Match `json:"match,omitempty"`
	// States are a role's conditions: "checked" and "pressed" with "true",
	// "false" or "mixed"; "disabled", "expanded" and "selected" with "true"
	// or "false"; "level" with a number.
	States map[string]string `json:"states,omitempty"`
	// IncludeHidden lets a role match elements hidden from accessibility.
	IncludeHidden bool `json:"includeHidden,omitempty"`
}

// Match is a comparison with a text whose white space has been trimmed and
// collapsed, as that of Text is. If Regexp is empty Text counts, even an empty
// one.
type Match struct {
	Text string `json:"text,omitempty"`
	// Exact demands the whole text; else a part of it is enough.
	Exact bool `json:"exact,omitempty"`
	// IgnoreCase compares without regard to case.
	IgnoreCase bool `json:"ignoreCase,omitempty"`
	// Regexp and Flags are a JavaScript regular expression, unanchored.
	Regexp string `json:"regexp,omitempty"`
	Flags  string `json:"flags,omitempty"`
}
