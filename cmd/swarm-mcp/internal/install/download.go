package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// maxFutile is how many attempts in a row may bring nothing.
	maxFutile = 5
	// stallLimit is how long a connection may stay silent.
	stallLimit = 30 * time.Second
)

// partState is what must be known to go on with a .part file, kept beside it.
type partState struct {
	URL string `json:"url"`
	// Validator is the strong ETag of what the part belongs to, without
	// which nothing can be appended to it.
	Validator string `json:"validator"`
	// Total is the whole file's size, -1 when the server does not say.
	Total  int64  `json:"total"`
	Digest digest `json:"digest"`
}

// part is a file being downloaded.
type part struct {
	path     string
	state    partState
	progress func(done, total int64)
}

// openPart returns the part at path, emptied when it is not from address.
func openPart(path, address string) *part {
	p := &part{path: path, progress: func(int64, int64) {}}
	if raw, err := os.ReadFile(path + ".json"); err == nil {
		_ = json.Unmarshal(raw, &p.state) // what cannot be read is another address's
	}
	if p.state.URL != address || p.state.Validator == "" {
		p.discard()
		p.state = partState{URL: address, Total: -1}
	}
	return p
}

func (p *part) size() int64 {
	info, err := os.Stat(p.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (p *part) discard() {
	os.Remove(p.path)
	os.Remove(p.path + ".json")
}

func (p *part) saveState() error {
	raw, err := json.Marshal(p.state)
	if err != nil {
		return fmt.Errorf("note the state of the download: %w", err)
	}
	return os.WriteFile(p.path+".json", raw, 0o600)
}

// transientError is worth another attempt.
type transientError struct{ error }

func (e transientError) Unwrap() error { return e.error }

// fetch brings the build's archive into the part, whole and checked. It tries
// again while attempts bring something.
func (d *Downloader) fetch(ctx context.Context, b Build, p *part) error {
	for futile := 0; ; futile++ {
		before := p.size()
		err := d.attempt(ctx, b, p)
		if err == nil {
			break
		}
		if !errors.As(err, new(transientError)) || ctx.Err() != nil {
			return fmt.Errorf("download %s: %w", b.URL, err)
		}
		if p.size() > before {
			futile = 0
		}
		if futile >= maxFutile {
			return fmt.Errorf("download %s (%d bytes are kept; run install again to go on): %w", b.URL, p.size(), err)
		}
		d.logf("the download was cut (%v); going on", err)
		select {
		case <-time.After(d.pause << futile):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := d.verify(b, p); err != nil {
		p.discard()
		return fmt.Errorf("check %s: %w", b.URL, err)
	}
	return nil
}

// attempt makes one request for what is missing.
func (d *Downloader) attempt(ctx context.Context, b Build, p *part) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(stallLimit, func() { cancel(errors.New("the server went silent")) })
	defer stall.Stop()

	have := p.size()
	if p.state.Total > 0 && have == p.state.Total {
		return nil
	}
	header := http.Header{}
	if have > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		header.Set("If-Range", p.state.Validator)
	}
	resp, err := get(ctx, d.client, b.URL, header)
	if err != nil {
		return transientError{errors.Join(err, context.Cause(ctx))}
	}
	defer resp.Body.Close()
	if err := p.begin(resp, have); err != nil {
		return err
	}
	if !d.checkable(b, p) {
		p.discard()
		return errNothingToCheck
	}
	if p.state.Total > d.maxArchive {
		return fmt.Errorf("the file has %d bytes, more than the %d that are accepted", p.state.Total, d.maxArchive)
	}
	return d.save(resp.Body, p, func() { stall.Reset(stallLimit) }, func() error { return context.Cause(ctx) })
}

// begin takes the response's headers and makes the part ready for its body.
func (p *part) begin(resp *http.Response, have int64) error {
	total := resp.ContentLength
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent:
		first, all, err := contentRange(resp.Header.Get("Content-Range"))
		if err != nil || first != have {
			p.discard()
			return transientError{fmt.Errorf("the server sent range %q for byte %d on", resp.Header.Get("Content-Range"), have)}
		}
		total = all
	case code == http.StatusOK: // the whole file, perhaps because it changed
		if err := os.WriteFile(p.path, nil, 0o600); err != nil {
			return err
		}
	case code == http.StatusRequestedRangeNotSatisfiable:
		p.discard()
		return transientError{errors.New("the file has changed on the server")}
	case code == http.StatusTooManyRequests || code >= 500:
		return transientError{fmt.Errorf("the server answers %s", resp.Status)}
	default:
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	p.state.Total = total
	p.state.Digest = readDigest(resp.Header)
	p.state.Validator = resp.Header.Get("ETag")
	if strings.HasPrefix(p.state.Validator, "W/") {
		p.state.Validator = ""
	}
	return p.saveState()
}

// contentRange takes "bytes 5-9/10" apart; all is -1 for an unknown size.
func contentRange(header string) (first, all int64, err error) {
	var last int64
	var size string
	if _, err := fmt.Sscanf(header, "bytes %d-%d/%s", &first, &last, &size); err != nil {
		return 0, 0, err
	}
	if size == "*" {
		return first, -1, nil
	}
	all, err = strconv.ParseInt(size, 10, 64)
	return first, all, err
}

// save appends body to the part. Failing to read is transient, failing to
// write is not.
func (d *Downloader) save(body io.Reader, p *part, alive func(), cause func() error) error {
	file, err := os.OpenFile(p.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	done := p.size()
	for buffer := make([]byte, 128<<10); ; {
		n, readErr := body.Read(buffer)
		if n > 0 {
			alive()
			if _, err := file.Write(buffer[:n]); err != nil {
				return err
			}
			if done += int64(n); done > d.maxArchive {
				return fmt.Errorf("the file has more than the %d bytes that are accepted", d.maxArchive)
			}
			p.progress(done, p.state.Total)
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return transientError{errors.Join(readErr, cause())}
		}
	}
	if p.state.Total >= 0 && done < p.state.Total {
		return transientError{fmt.Errorf("%d of %d bytes arrived", done, p.state.Total)}
	}
	return file.Close()
}
