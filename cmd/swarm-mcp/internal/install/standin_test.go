package install

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	testVersion = "150.0.7000.1"
	testFolder  = "chrome-headless-shell-linux64"
)

// standIn is a local stand-in for the published index and its file server.
// Its fields may be changed before a request, not during one.
type standIn struct {
	*httptest.Server
	archive []byte
	etag    string
	// header are set on the archive's response, after the usual ones.
	header http.Header
	// sha256 is put into the index.
	sha256 string
	// cutAfter ends each response's body after so many bytes, until cuts is
	// used up.
	cutAfter, cuts int

	mu     sync.Mutex
	ranges []string // the Range header of each request for the archive
}

func newStandIn(t *testing.T, archive []byte) *standIn {
	s := &standIn{archive: archive, etag: `"v1"`, header: goodHashes(archive)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func goodHashes(data []byte) http.Header {
	sum := md5.Sum(data)
	crc := binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	return http.Header{"X-Goog-Hash": {
		"crc32c=" + base64.StdEncoding.EncodeToString(crc),
		"md5=" + base64.StdEncoding.EncodeToString(sum[:]),
	}}
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/index.json":
		fmt.Fprintf(w, `{"channels":{"Stable":{"version":%q,"downloads":{"chrome-headless-shell":[
			{"platform":"mac-x64","url":"%[2]s/other.zip"},{"platform":"linux64","url":"%[2]s/shell.zip","sha256":%[3]q}]}}}}`,
			testVersion, s.URL, s.sha256)
	case "/shell.zip":
		s.serveArchive(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *standIn) serveArchive(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	cut := s.cuts > 0
	s.cuts--
	s.mu.Unlock()
	if s.etag != "" {
		w.Header().Set("ETag", s.etag)
	}
	for name, values := range s.header {
		w.Header()[name] = values
	}
	if cut {
		w = &cutWriter{ResponseWriter: w, left: s.cutAfter}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.archive))
}

func (s *standIn) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges
}

// cutWriter breaks the connection after left bytes of the body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(b []byte) (int, error) {
	if len(b) <= c.left {
		c.left -= len(b)
		return c.ResponseWriter.Write(b)
	}
	_, _ = c.ResponseWriter.Write(b[:c.left])
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// entry is one entry of an archive under test.
type entry struct {
	name, content string
	mode          fs.FileMode
}

// makeZip returns an archive of the entries.
func makeZip(t *testing.T, entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		require.NoError(t, err)
		_, err = f.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// fakeBrowser is an archive as Chrome for Testing lays it out, with 300 KB
// that do not compress.
func fakeBrowser(t *testing.T) []byte {
	noise := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	return makeZip(t,
		entry{testFolder + "/", "", fs.ModeDir | 0o755},
		entry{testFolder + "/chrome-headless-shell", "#!/bin/sh\necho fake\n", 0o755},
		entry{testFolder + "/lib.so", string(noise), 0o644},
		entry{testFolder + "/lib.so.1", "lib.so", fs.ModeSymlink | 0o777},
	)
}

func newTestDownloader(t *testing.T, s *standIn, dir string) *Downloader {
	d := NewDownloader(Options{Dir: dir, Index: s.URL + "/index.json", Platform: "linux64", Log: t.Output()})
	d.pause = time.Millisecond
	return d
}

// find returns the one build that the stand-in offers.
func find(t *testing.T, d *Downloader) Build {
	builds, err := d.Find(t.Context(), HeadlessShell)
	require.NoError(t, err)
	require.Len(t, builds, 1)
	return builds[0]
}
