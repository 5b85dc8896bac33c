// Package e2e has no code of its own: its tests prove the tools over the built
// binary's standard input and output, as a client uses it, with a real browser
// and the pages of internal/testsite. They know the server by its protocol
// alone and import nothing of it.
package e2e
