// Package engine is the part of swarm that runs inside the page: embedded
// JavaScript that finds elements, says whether they can be acted on and where,
// and reads them.
//
// It is installed once a document, in an isolated world (World), by
// Page.addScriptToEvaluateOnNewDocument: the page cannot see or change it, and
// no Content-Security-Policy stops it, because it is called by
// Runtime.callFunctionOn and evaluates no text. It waits inside the page, in
// slices of time that the caller gives; deadlines are the caller's. It never
// acts: presses and keys are real input, sent from Go. While a click is under
// way it guards the press, so that one that would not land on its target is
// swallowed, and reports the verdict through a binding (Binding).
//
// The package holds no state and knows no tabs: every function takes the
// session and the execution context to work in. All of it is safe for
// concurrent use.
package engine
