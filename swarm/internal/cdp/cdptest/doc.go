// Package cdptest is the browser's side of a protocol connection, for tests.
//
// A [Peer] is scripted: it answers, holds back, emits and hangs up as the test says, over the codec that a real browser is spoken to with. It knows no
// domain and keeps no state of a page. [Bend] is for the other kind of test: a connection to a real browser that delays, loses messages or breaks.
//
// A Peer belongs to its test and ends with it. Everything is safe for concurrent use.
package cdptest
