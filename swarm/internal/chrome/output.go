package chrome

import (
	"bytes"
	"log/slog"
	"sync"
)

// outputLimit is how much of the end of the browser's output is kept.
const outputLimit = 64 << 10

// output takes what the browser prints: it logs each line and keeps the end.
type output struct {
	logger *slog.Logger

	mu   sync.Mutex
	tail []byte
	line []byte // the unfinished last line, for the log
}

// Write never fails, so that the browser never blocks on a full pipe.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tail = append(o.tail, p...)
	if extra := len(o.tail) - outputLimit; extra > 0 {
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	o.line = append(o.line, p...)
	for {
		line, rest, found := bytes.Cut(o.line, []byte("\n"))
		if !found && len(line) < outputLimit {
			break
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			o.logger.Debug("browser output", "line", string(text))
		}
		o.line = rest
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.tail)
}
