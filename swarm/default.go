package swarm

import "sync/atomic"

// process holds the manager of Default, as http.DefaultClient is held.
var process atomic.Pointer[BrowserManager]

// Default returns the process-wide manager: the one given to SetDefault, or
// else one of the zero Config, made at first use. Nothing in this package uses
// it.
func Default() *BrowserManager {
	if m := process.Load(); m != nil {
		return m
	}
	m, err := New(Config{})
	if err != nil {
		panic("swarm: the zero Config is not valid: " + err.Error()) // A test holds that it is.
	}
	if process.CompareAndSwap(nil, m) {
		return m
	}
	_ = m.Close() // Another call was first; this one has started nothing.
	return process.Load()
}

// SetDefault makes m the manager that Default returns. It does not close the
// one before.
func SetDefault(m *BrowserManager) { process.Store(m) }
