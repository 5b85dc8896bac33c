// Package input turns what a person does with a mouse and a keyboard into
// protocol commands of Chrome's Input domain, in the order in which they are to
// be sent. It sends nothing: the caller writes the commands one after another
// without waiting between them and then waits for the last.
//
// It knows no elements and no tabs. It holds no state and is safe for
// concurrent use.
package input
