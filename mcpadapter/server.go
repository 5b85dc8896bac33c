package mcpadapter

import (
	"fmt"
	"log/slog"

	"github.com/mark3labs/mcp-go/server"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// DefaultMaxChars is the Config.MaxChars of a zero field.
const DefaultMaxChars = 40000

// spareWorkers run beside the two calls a tab that can make progress: those
// that wait for a tab, and those that need none.
const spareWorkers = 8

// ScreenshotForm is how the screenshot tool hands over a picture.
type ScreenshotForm string

const (
	// ScreenshotImage is an MCP image block ahead of the result. The default.
	ScreenshotImage ScreenshotForm = "image"
	// ScreenshotJSON is base64 in the result's field image, or image_base64
	// when the tab was named by page_id, for clients that drop image blocks.
	ScreenshotJSON ScreenshotForm = "json"
)

// Config is what New takes. The zero Config can be used.
type Config struct {
	// MaxChars is where text results are cut, in characters, unless a call
	// says otherwise; DefaultMaxChars when zero.
	MaxChars int
	// ScreenshotAs is ScreenshotImage when empty.
	ScreenshotAs ScreenshotForm
	// Version is the server's version as clients see it.
	Version string
	// Workers is how many tool calls run at once, on each connection; more
	// wait their turn. Zero sizes it from the manager's tab count.
	Workers int
	// Logger takes one line a call, without its arguments; nil discards it.
	Logger *slog.Logger
}

// Server is an MCP server on a manager.
type Server struct {
	mcp     *server.MCPServer
	manager *swarm.BrowserManager
	// release ends the leases of a session.
	release func(owner string) int
	tools   []tool

	maxChars     int
	screenshotAs ScreenshotForm
	workers      int
	maxLine      int
	log          *slog.Logger
}

// instructions go to the model once, with the answer to initialize.
const instructions = `A pool of browser tabs, used in parallel. navigate without tabId leases a clean tab (own cookies and storage) and returns its tabId; pass that to every other tool, and release_tab when done. Work on several tabs at once by sending calls together; on one tab, wait for each answer.
Selectors: CSS; A >>> B finds B at any depth of open shadow roots below A; text=Sign in; role=button[name="Save"]; label=Email; xpath=//a. Actions scroll and wait for the element by themselves.
A failed call is an object with error_type and a message that says what to do next. A tab left idle for minutes is reclaimed: PAGE_NOT_FOUND means lease a new one.`

// New returns a server on m. It starts no browser; nor does serving initialize
// and tools/list.
func New(m *swarm.BrowserManager, cfg Config) *Server {
	if cfg.Workers <= 0 {
		cfg.Workers = 2*m.Status().Total + spareWorkers
	}
	s := newServer(cfg, declared())
	s.manager, s.release = m, m.ReleaseOwner
	return s
}

// declared are all tools, in the order of the docs.
func declared() []tool { return poolTools() }

// newServer is a server of any tools, without a manager.
func newServer(cfg Config, tools []tool) *Server {
	s := &Server{
		mcp: server.NewMCPServer("swarm-mcp", cfg.Version,
			server.WithToolCapabilities(false), server.WithInstructions(instructions)),
		release:      func(string) int { return 0 },
		tools:        tools,
		maxChars:     cfg.MaxChars,
		screenshotAs: cfg.ScreenshotAs,
		workers:      cfg.Workers,
		maxLine:      defaultMaxLine,
		log:          cfg.Logger,
	}
	if s.maxChars <= 0 {
		s.maxChars = DefaultMaxChars
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, t := range tools {
		definition, err := t.definition()
		if err != nil {
			panic(fmt.Sprintf("mcpadapter: declare %s: %v", t.name, err))
		}
		s.mcp.AddTool(definition, s.handler(t))
	}
	return s
}
