package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Packages installs the distribution's own packages, with apt-get.
type Packages struct {
	// Log takes apt-get's output.
	Log io.Writer
}

// PackagesAvailable reports whether Packages can work for this user on this
// machine: Debian or a distribution made of it, root, apt-get.
func PackagesAvailable() bool {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil || !debianLike(string(release)) || os.Geteuid() != 0 {
		return false
	}
	_, err = exec.LookPath("apt-get")
	return err == nil
}

// debianLike reads the ID and ID_LIKE of an os-release file.
func debianLike(release string) bool {
	for line := range strings.Lines(release) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key != "ID" && key != "ID_LIKE" {
			continue
		}
		for id := range strings.FieldsSeq(strings.Trim(value, `"'`)) {
			if id == "debian" {
				return true
			}
		}
	}
	return false
}

// Names are the packages of a browser: its fonts with it, since a bare system
// has none.
func (p Packages) Names(headed bool) []string {
	names := []string{"chromium-headless-shell"}
	if headed {
		names = append(names, "chromium")
	}
	return append(names, "fonts-liberation", "fonts-noto-color-emoji")
}

// Installed reports whether all of names are.
func (p Packages) Installed(ctx context.Context, names []string) bool {
	out, err := exec.CommandContext(ctx, "dpkg-query", append([]string{"--show", "--showformat=${db:Status-Status}\n"}, names...)...).Output()
	return err == nil && string(out) == strings.Repeat("installed\n", len(names))
}

// Command is the command line that Install runs.
func (p Packages) Command(names []string) []string {
	return append([]string{"apt-get", "install", "--quiet", "--yes", "--no-install-recommends",
		"--option=Dpkg::Use-Pty=0", "--option=DPkg::Lock::Timeout=120"}, names...)
}

// Install installs names. When that fails the lists of packages are missing
// or old, so it brings them up to date and tries once more.
func (p Packages) Install(ctx context.Context, names []string) error {
	first := p.run(ctx, p.Command(names)...)
	if first == nil || ctx.Err() != nil {
		return first
	}
	if err := p.run(ctx, "apt-get", "update", "--quiet"); err != nil {
		return errors.Join(first, err)
	}
	return p.run(ctx, p.Command(names)...)
}

func (p Packages) run(ctx context.Context, command ...string) error {
	fmt.Fprintf(p.Log, "+ %s\n", strings.Join(command, " "))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = p.Log, p.Log
	// A killed dpkg leaves packages half installed; asked to stop, it ends
	// what it is doing.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", strings.Join(command[:2], " "), err)
	}
	return nil
}
