// Package selector parses the selector language of the tools: CSS, the
// shadow-piercing combinators >>> and >>>>, and the engines text=, role=,
// label=, xpath= and ref=.
//
// It finds the steps and says where a selector goes wrong; it matches nothing.
// A parsed Selector is plain data that travels as JSON to the engine in the
// page. What CSS, XPath and JavaScript regular expressions allow in the end is
// the browser's to say: Parse rejects only what no browser would take, and
// what a browser would take and then silently match with nothing.
//
// Everything here is a value; all of it is safe for concurrent use.
package selector
