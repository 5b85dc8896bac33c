package swarm

import "time"

// Status is a snapshot of the pool, taken under one lock without asking the
// browser. Idle+Busy is always Total.
type Status struct {
	// Total is the number of tabs that can be leased at once.
	Total int `json:"total"`
	// Idle is how many of them are free, warm or being made anew.
	Idle int `json:"idle"`
	// Busy is how many are leased.
	Busy int `json:"busy"`

	// Warm is how many idle tabs can be leased without any wait.
	Warm int `json:"-"`
	// Waiting is how many callers wait for a tab.
	Waiting int `json:"-"`
	// Crashed counts the leased tabs that died since the manager was made.
	Crashed int `json:"-"`
	// BrowserStarts counts the starts of the browser; more than one means
	// that it died or was stopped in between.
	BrowserStarts int `json:"-"`
	// Browser is the product and version of the running browser, as
	// "HeadlessChrome/156.0.8078.114"; empty when none runs.
	Browser string `json:"-"`
	// Leases are the leased tabs, popups among them, oldest first.
	Leases []LeaseStatus `json:"-"`
}

// LeaseStatus describes one leased tab.
type LeaseStatus struct {
	TabID string `json:"tabId"`
	Owner string `json:"owner"`
	// Opener is the tab that opened this one, empty for a lease of its own.
	Opener string    `json:"opener,omitempty"`
	URL    string    `json:"url"`
	Since  time.Time `json:"since"`
	// LastUsed is when the last call on the tab ended, or now while one runs.
	LastUsed time.Time `json:"lastUsed"`
}
