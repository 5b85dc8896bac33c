// Package frames keeps the frame tree of one tab: which frames there are, which session hosts each of them, what document each shows and how far
// it has loaded.
//
// A [Registry] is a pure state machine over protocol events. It sends no command, starts no goroutine and knows no clock; whoever owns the sessions
// feeds it every event in order with [Registry.Apply] and installs auto-attach, lifecycle events and the isolated world. It is not the place where
// a navigation is judged: it says what is so, and [Registry.Wait] wakes whoever asked when that changes.
//
// # Identity
//
// A frame keeps its id for life, whatever it shows and wherever it is rendered. A cross-site iframe is rendered by another process and reached
// through a session of its own, a child of its parent's; the target id of that session is the frame's id. Events of a frame count only when they
// come from the session that hosts it: what the old process still has to say after the hand-over is ignored.
//
// # Concurrency
//
// One mutex. Apply is meant for the one goroutine that reads events, everything else for anyone; what is returned is a copy. The conditions of
// Wait run under the mutex, on the goroutine that applies the event, so that no state passes unseen.
package frames
