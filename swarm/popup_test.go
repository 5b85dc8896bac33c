package swarm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestAPopupThatBecomesADownloadIsClosed(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/popups")
	_, err := tab.Locator("#n").Click(t.Context(), nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(popupsOf(tab)) == 0 }, 5*time.Second, 5*time.Millisecond)
}

func TestAPopupThatClosesItselfIsForgotten(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/popup-all")
	result, err := tab.Locator("#closes").Click(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, result.Opened, 1)
	require.Eventually(t, func() bool { return len(popupsOf(tab)) == 0 }, 5*time.Second, 5*time.Millisecond)
}

// popupsOf are the ids of the tabs that a tab has open.
func popupsOf(tab *swarm.Tab) (ids []string) {
	for _, l := range manager.Status().Leases {
		if l.Opener == tab.ID() {
			ids = append(ids, l.TabID)
		}
	}
	return ids
}

func TestPopupsFindTheirOpenerInASharedContextTooOnBoth(t *testing.T) {
	m := newManager(t, func(c *swarm.Config) { c.Isolation = swarm.IsolationShared })
	tab, err := m.Lease(t.Context(), nil)
	require.NoError(t, err)
	_, err = tab.Goto(t.Context(), site.URL+"/t/popup-all", nil)
	require.NoError(t, err)
	for _, id := range []string{"#named", "#noreferrer", "#nofollow"} {
		result, err := tab.Locator(id).Click(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, result.Opened, 1, id)
	}
	tab.Release()
	require.Empty(t, m.Status().Leases)
	whole(t, m)
}
