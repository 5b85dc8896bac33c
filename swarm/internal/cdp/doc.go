// Package cdp carries many protocol sessions over one connection to a browser.
//
// A [Conn] owns a chromedp.Transport, a goroutine that reads it and one that writes it, and hands out a [Session] for the browser and for each
// attached target. It knows requests, replies and events, and of the protocol's domains only that a detached session is over. It mirrors nothing
// (no DOM, no frames, no execution contexts) and never retries: what the messages mean is the business of who receives them.
//
// # Order
//
// Messages are delivered in the order of the wire. An event has been seen by [Options.OnEvent] and queued for its subscribers before any later
// message is looked at, so a caller whose call has returned may rely on the effects of every event that came before the reply. In the other
// direction, commands reach the browser in the order of their Send calls, over all sessions of the connection.
//
// # Endings
//
// A call ends with its reply, with its context, with its session or with the connection, whichever comes first, and the error says which. When a
// session or connection ends, everything pending on it fails at once with the one reason, and so does whatever is called later.
//
// # Concurrency
//
// Everything is safe for concurrent use. OnEvent runs on the reading goroutine and must not wait for anything the connection brings: there,
// [Session.Send] is allowed and [Session.Call], [Pending.Wait] and [Conn.Close] are not. Both goroutines end with the connection; Close waits for
// them. A subscription has a goroutine of its own, which ends when the subscriber cancels it or has read it to the end.
package cdp
