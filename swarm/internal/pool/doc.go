// Package pool hands out items that are made in advance and used once.
//
// A Pool keeps Size slots. Each is leased, holds a warm item, or is being
// refilled. Acquire takes a warm item or queues, first come, first served;
// Release destroys the item and has another made in its place: there is no
// way to put a used one back. What an item is, the pool does not know.
//
// The pool owns every goroutine that it starts (one filler, one for each item
// under construction or destruction) and Close waits for them. An item belongs
// to the pool until Acquire returns it and again from Release on. All methods
// are safe for concurrent use; none holds the lock while it calls Build or
// Destroy.
package pool
