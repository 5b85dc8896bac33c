package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/mcpadapter"
	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// shutdownLimit is how long the process lives on after its client has gone or
// it was told to stop. It leaves a margin to the 5 s that a client may wait.
const shutdownLimit = 4500 * time.Millisecond

// startDelay lets a client's first questions (initialize, tools/list) have the
// processor to themselves: on two cores, with a browser starting beside them,
// they took 70 ms instead of 50. A call that needs a tab does not wait for it.
const startDelay = 100 * time.Millisecond

// serveCmd is "swarm-mcp serve".
type serveCmd struct {
	poolFlags    `embed:"" group:"pool"`
	browserFlags `embed:"" group:"browser"`
	outputFlags  `embed:"" group:"output"`
	logFlags     `embed:"" group:"log"`
}

// swarmConfig is the library's configuration, without the logger.
func (c *serveCmd) swarmConfig() (swarm.Config, error) {
	cfg, err := c.browserFlags.config()
	if err != nil {
		return cfg, err
	}
	return cfg, c.poolFlags.apply(&cfg)
}

// adapterConfig is the adapter's configuration, without the logger.
func (c *serveCmd) adapterConfig() (mcpadapter.Config, error) {
	if c.MaxChars < 1 {
		return mcpadapter.Config{}, usageError{errors.New("--max-chars: must be at least 1")}
	}
	return mcpadapter.Config{
		MaxChars:     c.MaxChars,
		ScreenshotAs: mcpadapter.ScreenshotForm(c.ScreenshotAs),
		Version:      readVersion().Version,
	}, nil
}

// Run serves until the client closes its end or ctx ends.
func (c *serveCmd) Run(ctx context.Context, p process) error {
	cfg, err := c.swarmConfig()
	if err != nil {
		return err
	}
	adapter, err := c.adapterConfig()
	if err != nil {
		return err
	}
	logger, closeLog, err := c.logFlags.open(p.err)
	if err != nil {
		return err
	}
	defer closeLog()
	cfg.Logger, adapter.Logger = logger, logger
	manager, err := swarm.New(cfg)
	if err != nil {
		return usageError{err}
	}
	return serve(ctx, logger, manager, mcpadapter.New(manager, adapter), p)
}

// pool is what serve needs of a swarm.BrowserManager.
type pool interface {
	Start(ctx context.Context) error
	Close() error
}

// server is what serve needs of a mcpadapter.Server.
type server interface {
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
}

// serve answers at once while the browser starts behind it. When it returns,
// nothing that it started is left; when that takes longer than shutdownLimit,
// the process ends all the same.
func serve(ctx context.Context, logger *slog.Logger, m pool, s server, p process) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := sync.OnceFunc(func() {
		time.AfterFunc(shutdownLimit, func() {
			logger.Error("the browser could not be closed in time; leaving it behind")
			p.exit(exitFailed)
		})
	})
	context.AfterFunc(ctx, limit)

	var starting sync.WaitGroup
	starting.Go(func() {
		select {
		case <-time.After(startDelay):
		case <-ctx.Done():
			return
		}
		if err := m.Start(ctx); err != nil && ctx.Err() == nil {
			logger.Error("no browser yet; the next call tries again", "error", err,
				"next", "run swarm-mcp doctor to see why, swarm-mcp install to get a browser")
		}
	})
	err := s.ServeStdio(ctx, &input{r: p.in, ended: limit}, p.out)
	if brokenPipe(err) || ctx.Err() != nil {
		err = nil // the client is gone, or we were told to go
	}
	cancel()
	starting.Wait()
	return errors.Join(err, m.Close())
}

// brokenPipe reports whether nobody reads our output any more.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// input tells when the client has closed its end: from then on the server has
// shutdownLimit to answer what it still owes.
type input struct {
	r     io.Reader
	ended func()
}

// Read reads from the client.
func (i *input) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if err != nil {
		i.ended()
	}
	return n, err
}
