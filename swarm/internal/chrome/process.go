package chrome

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// outputGrace is how long the rest of the output is waited for after the
	// browser exited: a child of it may hold the pipe open.
	outputGrace = 300 * time.Millisecond
	// closeGrace is how long a browser may take to exit by itself after its
	// pipe was closed, and termGrace after SIGTERM.
	closeGrace = 2 * time.Second
	termGrace  = time.Second
)

// Process is a browser that was started.
type Process struct {
	// Transport carries the protocol. The caller is its only reader; Stop
	// closes it.
	Transport chromedp.Transport
	// PID is the process id, on Unix that of its group too.
	PID int
	// Dir is the run directory, with the profile in it.
	Dir string
	// Version is the product and its version, "HeadlessChrome/156.0.8078.114".
	Version string

	cmd  *exec.Cmd
	run  *runDir
	out  *output
	done chan struct{}
	err  error // written before done is closed

	stop    sync.Once
	stopErr error
}

// own starts the browser and waits for it. It keeps its thread the whole time:
// Linux kills a child made with Pdeathsig when the thread that made it ends.
func (p *Process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	_ = p.cmd.Wait() // the state tells more
	killOrphans(p.cmd.Process)
	p.err = fmt.Errorf("the browser exited: %s", p.cmd.ProcessState)
	close(p.done)
}

// Done is closed when the browser's main process has exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is how the browser exited, "the browser exited: signal: killed"; nil
// while it runs.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Output is the end of what the browser printed, at most 64 KiB.
func (p *Process) Output() string { return p.out.String() }

// Kill ends the browser and its children at once. Stop must still be called.
func (p *Process) Kill() {
	select {
	case <-p.done:
	default:
		killGroup(p.cmd.Process)
	}
}

// Stop ends the browser and removes its run directory. It closes the
// transport, which a browser takes as the order to exit (as it does
// Browser.close, if the caller sent that), and when it does not, or ctx ends
// first, uses force. It returns when no process is left, whatever ctx says; the
// error is about files that could not be removed. A second call waits for the
// first and returns the same.
func (p *Process) Stop(ctx context.Context) error {
	p.stop.Do(func() { p.stopErr = p.shutDown(ctx) })
	return p.stopErr
}

func (p *Process) shutDown(ctx context.Context) error {
	_ = p.Transport.Close() // the other end may be gone already
	if !p.exitsWithin(ctx, closeGrace) {
		terminate(p.cmd.Process)
		if !p.exitsWithin(ctx, termGrace) {
			p.Kill()
			<-p.done
		}
	}
	err := p.run.remove()
	reapGroup(p.PID)
	if err != nil {
		return fmt.Errorf("remove the browser's run directory: %w", err)
	}
	return nil
}

func (p *Process) exitsWithin(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return p.Err() != nil
	}
}
