package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/puppeteer-swarm/swarm-mcp/mcpadapter"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// process is what a command gets of the process it runs in.
type process struct {
	in       io.Reader
	out, err io.Writer
	exit     func(code int)
}

// usageError is a command line that parses but makes no sense.
type usageError struct{ error }

// errReported ends a command that has already said what went wrong.
var errReported = errors.New("failed")

// cli is the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve MCP over standard input and output. This is what runs when no command is named."`
	Doctor  doctorCmd  `cmd:"" help:"Say which browser would be used and whether it works here."`
	Install installCmd `cmd:"" help:"Get a browser: the distribution's package, or Chrome for Testing."`
	Demo    demoCmd    `cmd:"" help:"Crawl a site through the server, as an MCP client would, and report."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// run parses args, runs the command they name and returns the exit code.
func run(ctx context.Context, args []string, p process) int {
	command, done, err := parse(args, p)
	switch {
	case done:
		return exitOK
	case err != nil:
		fmt.Fprintf(p.err, "swarm-mcp: %v (see swarm-mcp --help)\n", err)
		return exitUsage
	}
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(p)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, new(usageError)):
		fmt.Fprintf(p.err, "swarm-mcp: %v (see swarm-mcp --help)\n", err)
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(p.err, "swarm-mcp: interrupted")
		return exitInterrupted
	case !errors.Is(err, errReported):
		fmt.Fprintf(p.err, "swarm-mcp: %v\n", err)
	}
	return exitFailed
}

// parse returns the command to run; done when --help was all that was asked.
func parse(args []string, p process) (command *kong.Context, done bool, err error) {
	parser, err := kong.New(&cli{},
		kong.Name("swarm-mcp"),
		kong.Description("A pool of real browser tabs for agents, served over the Model Context Protocol."),
		kong.Writers(p.out, p.err),
		kong.Exit(func(int) { done = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 110}),
		kong.Help(printHelp),
		kong.ExplicitGroups([]kong.Group{
			{Key: "pool", Title: "Pool:"},
			{Key: "browser", Title: "Browser:"},
			{Key: "output", Title: "Results:"},
			{Key: "log", Title: "Log:"},
		}),
		kong.Vars{
			"tabs":       strconv.Itoa(swarm.DefaultTabCount),
			"maxTabs":    strconv.Itoa(swarm.MaxTabCount),
			"lease":      swarm.DefaultLeaseTimeout.String(),
			"idle":       swarm.DefaultIdleTimeout.String(),
			"action":     swarm.DefaultActionTimeout.String(),
			"navigation": swarm.DefaultNavigationTimeout.String(),
			"maxChars":   strconv.Itoa(mcpadapter.DefaultMaxChars),
			"viewport":   fmt.Sprintf("%dx%d", swarm.DefaultViewport.Width, swarm.DefaultViewport.Height),
		},
	)
	if err != nil {
		return nil, false, fmt.Errorf("build the command line: %w", err)
	}
	if err := unsetEmpty(parser.Model.Node); err != nil {
		return nil, false, err
	}
	command, err = parser.Parse(args)
	return command, done, err
}

// unsetEmpty removes the flags' variables that are set to nothing: clients
// that fill a form write TAB_COUNT="" and mean the default.
func unsetEmpty(node *kong.Node) error {
	for _, flag := range node.Flags {
		for _, name := range flag.Envs {
			if value, ok := os.LookupEnv(name); ok && value == "" {
				if err := os.Unsetenv(name); err != nil {
					return fmt.Errorf("unset %s: %w", name, err)
				}
			}
		}
	}
	for _, child := range node.Children {
		if err := unsetEmpty(child); err != nil {
			return err
		}
	}
	return nil
}

// printHelp prints the default command's flags with the application's own
// help, where kong lists only the commands.
func printHelp(options kong.HelpOptions, command *kong.Context) error {
	if command.Selected() != nil {
		return kong.DefaultHelpPrinter(options, command)
	}
	options.NoAppSummary = true
	fmt.Fprintln(command.Stdout, "Usage: swarm-mcp [<command>] [flags]")
	if err := kong.DefaultHelpPrinter(options, command); err != nil {
		return err
	}
	serve, err := kong.Trace(command.Kong, []string{"serve"})
	if err != nil {
		return err
	}
	return kong.DefaultHelpPrinter(options, serve)
}
