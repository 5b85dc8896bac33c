package swarm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

func TestATabOnItsWayToASlowPageIsNotTakenForStuck(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/n/1")
	eval(t, tab, "location.href = '/t/slow?ms=4000&title=late'; 1")
	_, err := tab.Evaluate(within(t, 500*time.Millisecond), "document.title")
	if err != nil { // Chrome may still answer from the old page.
		require.ErrorIs(t, err, swarm.ErrTimeout)
		assert.Contains(t, err.Error(), "on its way")
	}
	require.Eventually(t, func() bool {
		title, err := tab.Title(within(t, 10*time.Second))
		return assert.NoError(t, err) && title == "late"
	}, 20*time.Second, 50*time.Millisecond)
}
