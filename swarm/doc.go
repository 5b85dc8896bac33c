// Package swarm keeps a pool of warm, isolated Chrome tabs and leases them.
//
//	m, err := swarm.New(swarm.Config{TabCount: 5})
//	…
//	defer m.Close()
//	tab, err := m.Lease(ctx, nil)
//	…
//	defer tab.Release()
//	page, err := tab.Goto(ctx, "https://example.com", nil)
//	err = tab.Locator("text=More information").Click(ctx, nil)
//
// # Leases
//
// A [Tab] is a lease: one page of one browser, used by nobody else, starting
// clean. Its id is never used again. [Tab.Release] ends it, is safe to defer
// and to repeat; the tab is thrown away then, with its browser context and the
// tabs it opened, and a new one is made in its place in the background, so
// that the next lease finds a warm one. Callers wait for a free tab first come,
// first served. A lease that no call touches for Config.IdleTimeout is
// reclaimed.
//
// A tab that crashed, and every tab of a browser that died, ends its lease; the
// next [BrowserManager.Lease] brings a new browser if it has to. No lease is
// ever revived.
//
// # Concurrency
//
// Everything is safe for concurrent use. Tabs never wait for each other. On
// one tab, navigation and input take turns in the order in which they came;
// reading and scripts do not wait. JavaScript dialogs are answered at once, by
// the rule in [Dialog], and never hold up a call.
//
// # Time
//
// Timeouts live in the context. When a call's context has no deadline the
// default of Config applies, so every call ends. A context that ends stops the
// work in the browser too.
//
// # Errors
//
// Every error is an [*Error] whose Type is one of the constants and whose
// Message says what was tried, what was found and what to do next. errors.Is
// works with the sentinels, ErrSelectorNotFound and so on.
package swarm
