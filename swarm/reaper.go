package swarm

import (
	"fmt"
	"time"
)

// reap reclaims leases that no call has touched for Config.IdleTimeout, until
// the manager closes. A lease with a call under way is never idle.
func (m *BrowserManager) reap() {
	timeout := m.config.IdleTimeout
	tick := time.NewTicker(max(timeout/10, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case now := <-tick.C:
			for _, tab := range m.tabsWhere(func(t *Tab) bool { return t.idleFor(now) >= timeout }) {
				m.log.Info("reclaimed an idle tab", "tab", tab.id, "owner", tab.owner, "idle", timeout)
				tab.end(&Error{Type: PageNotFound, Op: "tab", TabID: tab.id, Message: fmt.Sprintf(
					"%s was reclaimed after %v without a call; navigate without tabId leases a new tab", tab.id, timeout)})
			}
		}
	}
}
