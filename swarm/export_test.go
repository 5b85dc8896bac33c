package swarm

import (
	"context"

	"github.com/chromedp/cdproto/target"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/input"
)

// OnSend sets what is told of every command of a manager that has not started.
func (m *BrowserManager) OnSend(f func(session target.SessionID, method string)) { m.onSend = f }

// Received is how many bytes of params and results the tab's browser has sent.
func (t *Tab) Received() int64 { return t.browser.conn.Stats().ReceivedBytes }

// Pipeline writes a command several times with different params and then waits
// for all replies.
func (t *Tab) Pipeline(ctx context.Context, method string, params ...any) error {
	var commands []input.Command
	for _, p := range params {
		commands = append(commands, input.Command{Method: method, Params: p})
	}
	return t.send(ctx, t.session, commands)
}
