package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
)

// bar shows progress: a bar on a terminal, elsewhere a line each tenth.
type bar struct {
	w     io.Writer
	name  string
	shown *progressbar.ProgressBar // nil when w is no terminal
	bytes bool
	tenth int64
}

// newBar returns a bar of total steps, or bytes; a total below 0 is unknown.
func newBar(w io.Writer, name string, total int64, bytes bool) *bar {
	b := &bar{w: w, name: name, bytes: bytes, tenth: -1}
	if file, ok := w.(*os.File); ok && isTerminal(file) {
		b.shown = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription(name),
			progressbar.OptionShowBytes(bytes),
			progressbar.OptionShowCount(),
			progressbar.OptionFullWidth(),
			progressbar.OptionUseANSICodes(true),
		)
	}
	return b
}

// set shows that done of total is done; both may change at any time.
func (b *bar) set(done, total int64) {
	if b.shown != nil {
		// What a bar cannot draw is not worth failing for.
		if total != b.shown.GetMax64() {
			b.shown.ChangeMax64(total)
		}
		_ = b.shown.Set64(done)
		return
	}
	if total <= 0 || done*10/total == b.tenth {
		return
	}
	b.tenth = done * 10 / total
	if b.bytes {
		fmt.Fprintf(b.w, "%s: %s of %s\n", b.name, size(done), size(total))
	} else {
		fmt.Fprintf(b.w, "%s: %d of %d\n", b.name, done, total)
	}
}

// end leaves the bar as it is and begins a new line.
func (b *bar) end() {
	if b.shown != nil {
		_ = b.shown.Exit()
		fmt.Fprintln(b.w)
	}
}

// isTerminal is true for any character device: good enough to choose a form
// of output by.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
