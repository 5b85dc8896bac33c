// Package markdown turns the HTML of a page, or of a part of one, into
// Markdown for a reader that pays by the word.
//
// It sees HTML only: what style sheets hide is in the output unless whoever
// serialized the page left it out, and shadow roots have to be flattened
// before. It fetches nothing. Convert keeps no state and is safe for
// concurrent use.
package markdown
