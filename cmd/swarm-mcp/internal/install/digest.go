package install

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"strings"
)

// errNothingToCheck is for a file that comes without any hash.
var errNothingToCheck = errors.New("neither the index nor the server gives a hash to check the file by; --allow-unverified installs it all the same")

// digest holds the hashes that a file server gives, nil when it does not.
type digest struct {
	MD5    []byte `json:"md5,omitempty"`
	CRC32C []byte `json:"crc32c,omitempty"`
}

// readDigest reads the x-goog-hash headers, "crc32c=<base64>,md5=<base64>".
func readDigest(header http.Header) digest {
	var d digest
	for _, line := range header.Values("X-Goog-Hash") {
		for entry := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
			sum, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				continue
			}
			switch name {
			case "md5":
				d.MD5 = sum
			case "crc32c":
				d.CRC32C = sum
			}
		}
	}
	return d
}

// checkable reports whether there is a hash for the part, or none is wanted.
func (d *Downloader) checkable(b Build, p *part) bool {
	return d.allowUnverified || b.SHA256 != "" || p.state.Digest.MD5 != nil || p.state.Digest.CRC32C != nil
}

// verify checks the downloaded part by all that is known of it.
func (d *Downloader) verify(b Build, p *part) error {
	if p.state.Total >= 0 && p.size() != p.state.Total {
		return fmt.Errorf("it has %d bytes instead of %d", p.size(), p.state.Total)
	}
	type sum struct {
		name string
		want []byte
		hash hash.Hash
	}
	sums := []sum{
		{"md5", p.state.Digest.MD5, md5.New()},
		{"crc32c", p.state.Digest.CRC32C, crc32.New(crc32.MakeTable(crc32.Castagnoli))},
	}
	if b.SHA256 != "" {
		want, err := hex.DecodeString(b.SHA256)
		if err != nil {
			return fmt.Errorf("the index has no valid sha256 for it: %w", err)
		}
		sums = append(sums, sum{"sha256", want, sha256.New()})
	}
	var into []io.Writer
	for _, s := range sums {
		if s.want != nil {
			into = append(into, s.hash)
		}
	}
	if !d.checkable(b, p) {
		return errNothingToCheck
	}
	file, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(io.MultiWriter(into...), file); err != nil {
		return err
	}
	for _, s := range sums {
		if got := s.hash.Sum(nil); s.want != nil && !bytes.Equal(got, s.want) {
			return fmt.Errorf("its %s is %x instead of %x; the file was deleted", s.name, got, s.want)
		}
	}
	return nil
}
