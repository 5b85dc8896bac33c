// Package mcpadapter serves a [swarm.BrowserManager] over the Model Context
// Protocol.
//
// It is a translator and nothing else: every tool is one or two calls of
// package swarm, to which the adapter adds a name, strict arguments, limits
// and JSON. It knows no browser protocol and keeps no state about pages.
//
// A tool is declared once, by declare in the tools_*.go files. Its input and
// output schemas, the checks of its arguments, its docs and its tools/list
// entry all come from the Go types of that declaration.
//
// One connection is one session, and a session is the owner of the tabs it
// leases: when it ends they are released, and another session's tab id is
// PAGE_NOT_FOUND to it. The manager belongs to the caller, who closes it after
// serving has ended.
//
// A Server is safe for concurrent use; each call of a tool runs on a goroutine
// that ServeStdio owns and waits for.
package mcpadapter
