package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup leaves it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Without a handler for SIGPIPE a client that hangs up would kill the
	// process before it can close its browser; with one, writing fails.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() { // lives as long as the process
		<-signals
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], process{in: os.Stdin, out: os.Stdout, err: os.Stderr, exit: os.Exit}))
}
