package chrome

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
)

// exitGrace is how long a browser that closed its pipe before it answered may
// take to exit and say why.
const exitGrace = 3 * time.Second

// Options are what Launch and Flags take.
type Options struct {
	// Browser is what to start; of its fields Path and HeadlessShell count.
	Browser Found
	// Headed shows windows; the browser must not be a headless shell.
	Headed bool
	// Args are the user's command line arguments; they win over ours.
	Args []string
	// Proxy is as Chrome's --proxy-server takes it, "socks5://host:port".
	Proxy string
	// UserAgent replaces the browser's own in all it sends.
	UserAgent string
	// IgnoreHTTPSErrors accepts any certificate.
	IgnoreHTTPSErrors bool
	// WindowWidth and WindowHeight are the size of a new window in pixels;
	// the browser chooses if one is 0.
	WindowWidth, WindowHeight int
	// Logger gets flags and their reasons, and at debug level what the browser
	// prints; nil discards.
	Logger *slog.Logger
}

// LaunchError says why a browser did not start. Its message has the cause, the
// hint and the last lines of the output.
type LaunchError struct {
	// Path and Args are the command.
	Path string
	Args []string
	// Output is the end of what the browser printed, possibly empty.
	Output string
	// Hint says what to do about it, empty if nothing is known.
	Hint string
	// Err is the cause.
	Err error
}

// Error is one or more lines of text for a human.
func (e *LaunchError) Error() string {
	text := fmt.Sprintf("start %s: %v", e.Path, e.Err)
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	if out := lastLines(e.Output, 5); out != "" {
		text += "\nThe browser's last output:\n" + out
	}
	return text
}

// Unwrap returns the cause.
func (e *LaunchError) Unwrap() error { return e.Err }

// Launch starts a browser and waits until it has answered Browser.getVersion.
// The context bounds the start and not the browser's life: without a deadline
// a program that never answers is waited for until it exits. After an error,
// always a *LaunchError, neither a process nor a directory is left.
func Launch(ctx context.Context, opts Options) (*Process, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	path := opts.Browser.Path
	env := Probe(path)
	args, notes := Flags(opts, env)
	for _, n := range notes {
		if n.Refused {
			opts.Logger.Warn("browser argument not used", "arg", n.Flag, "reason", n.Reason)
		} else {
			opts.Logger.Info("browser flag", "flag", n.Flag, "reason", n.Reason)
		}
	}
	fail := func(out string, err error) error {
		return &LaunchError{Path: path, Args: args, Output: out, Hint: hint(err, out, opts.Headed, env), Err: err}
	}
	if err := ctx.Err(); err != nil {
		return nil, fail("", err)
	}

	run, err := newRunDir(runRoot(opts.Browser.HeadlessShell))
	if err != nil {
		return nil, fail("", err)
	}
	args = append([]string{"--user-data-dir=" + run.profile(), "--remote-debugging-pipe"}, args...)
	p, err := start(path, args, run, opts.Logger)
	if err != nil {
		return nil, fail("", errors.Join(err, run.remove()))
	}
	if err := p.handshake(ctx); err != nil {
		over, cancel := context.WithCancel(ctx)
		cancel() // no grace for a browser that never worked
		err = errors.Join(err, p.Stop(over))
		return nil, fail(p.Output(), err)
	}
	opts.Logger.Debug("browser started", "path", path, "pid", p.PID, "version", p.Version, "dir", p.Dir)
	return p, nil
}

// start runs the command with its pipes; it does not wait for an answer.
func start(path string, args []string, run *runDir, logger *slog.Logger) (*Process, error) {
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	toBrowser, fromUs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), fromBrowser.Close(), toUs.Close())
	}
	p := &Process{
		Transport: chromedp.NewPipeConn(fromBrowser, fromUs),
		Dir:       run.path,
		run:       run,
		out:       &output{logger: logger},
		done:      make(chan struct{}),
	}
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), run.environ()...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.WaitDelay = outputGrace
	if err = setChild(p.cmd, toBrowser, toUs, fromBrowser, fromUs); err == nil {
		started := make(chan error)
		go p.own(started)
		err = <-started
	}
	err = errors.Join(err, toBrowser.Close(), toUs.Close())
	if err != nil {
		return nil, errors.Join(err, p.Transport.Close())
	}
	p.PID = p.cmd.Process.Pid
	return p, nil
}

// handshake asks the browser for its version, which is the first thing that
// tells that it is one and that it works.
func (p *Process) handshake(ctx context.Context) error {
	answer := make(chan error, 1)
	go func() { answer <- p.ask() }() // ends when the transport closes at the latest
	select {
	case err := <-answer:
		if err == nil {
			return nil
		}
		// The pipe broke; the process is about to say why.
		select {
		case <-p.done:
			return p.Err()
		case <-time.After(exitGrace):
			return fmt.Errorf("the browser closed its pipe: %w", err)
		}
	case <-p.done:
		return p.Err()
	case <-ctx.Done():
		return fmt.Errorf("the browser did not answer in time: %w", context.Cause(ctx))
	}
}

func (p *Process) ask() error {
	ctx := context.Background() // the transport takes none; closing it ends a read
	msg := cdproto.Message{ID: 1, Method: browser.CommandGetVersion}
	if err := p.Transport.Write(ctx, &msg); err != nil {
		return err
	}
	var reply cdproto.Message
	for reply.ID != msg.ID {
		reply = cdproto.Message{}
		if err := p.Transport.Read(ctx, &reply); err != nil {
			return err
		}
	}
	if reply.Error != nil {
		return reply.Error
	}
	var v browser.GetVersionResult
	if err := jsonv2.Unmarshal(reply.Result, &v, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("decode the version: %w", err)
	}
	p.Version = v.Product
	return nil
}
