package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstallUnpacksTheStableVersionAndLeavesNothingElse(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	d := newTestDownloader(t, s, filepath.Join(t.TempDir(), "browsers"))
	b := find(t, d)
	require.False(t, d.Installed(b))

	var last int64
	require.NoError(t, d.Install(t.Context(), b, func(done, total int64) {
		assert.GreaterOrEqual(t, done, last)
		assert.EqualValues(t, len(s.archive), total)
		last = done
	}))

	assert.EqualValues(t, len(s.archive), last)
	assert.True(t, d.Installed(b))
	assert.Equal(t, filepath.Join(d.dir, testVersion, testFolder, "chrome-headless-shell"), d.Path(b))
	info, err := os.Stat(d.Path(b))
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, fs.FileMode(0o755), info.Mode())
	}
	link, err := os.Readlink(filepath.Join(d.dir, testVersion, testFolder, "lib.so.1"))
	require.NoError(t, err)
	assert.Equal(t, "lib.so", link)
	assertNoRests(t, d)
}

func TestInstallDoesNothingWhenTheBuildIsThere(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	d := newTestDownloader(t, s, t.TempDir())
	b := find(t, d)
	require.NoError(t, d.Install(t.Context(), b, nil))
	require.NoError(t, d.Install(t.Context(), b, nil))
	assert.Len(t, s.seen(), 1)
}

func TestInstallMendsAFolderWithoutItsProgram(t *testing.T) {
	d := newTestDownloader(t, newStandIn(t, fakeBrowser(t)), t.TempDir())
	b := find(t, d)
	require.NoError(t, os.MkdirAll(filepath.Join(d.dir, testVersion, testFolder, "rest"), 0o755))
	require.NoError(t, d.Install(t.Context(), b, nil))
	assert.True(t, d.Installed(b))
}

func TestACutDownloadGoesOnWhereItStopped(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.cutAfter, s.cuts = 100_000, 2
	d := newTestDownloader(t, s, t.TempDir())
	require.NoError(t, d.Install(t.Context(), find(t, d), nil))

	ranges := s.seen()
	require.Len(t, ranges, 3)
	assert.Empty(t, ranges[0])
	assert.True(t, strings.HasPrefix(ranges[1], "bytes="), ranges[1])
	assert.NotEqual(t, "bytes=0-", ranges[1])
	assert.Greater(t, ranges[2], ranges[1], "the third request asks for less than the second")
}

func TestAnInterruptedInstallGoesOnInTheNextProcess(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.cutAfter, s.cuts = 100_000, 1 // What is on the way when it is cancelled must not be all.
	dir := t.TempDir()
	d := newTestDownloader(t, s, dir)
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Install(ctx, find(t, d), func(done, total int64) {
		if done > 50_000 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)

	again := newTestDownloader(t, s, dir)
	require.NoError(t, again.Install(t.Context(), find(t, again), nil))
	ranges := s.seen()
	require.Len(t, ranges, 2)
	assert.NotEmpty(t, ranges[1])
}

func TestAFileThatChangedMeanwhileIsDownloadedFromTheStart(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.cutAfter, s.cuts = 100_000, 1 // What is on the way when it is cancelled must not be all.
	dir := t.TempDir()
	d := newTestDownloader(t, s, dir)
	ctx, cancel := context.WithCancel(t.Context())
	require.Error(t, d.Install(ctx, find(t, d), func(int64, int64) { cancel() }))

	s.archive = makeZip(t, entry{testFolder + "/chrome-headless-shell", "other", 0o755})
	s.etag, s.header = `"v2"`, goodHashes(s.archive)
	require.NoError(t, d.Install(t.Context(), find(t, d), nil))
	got, err := os.ReadFile(d.Path(find(t, d)))
	require.NoError(t, err)
	assert.Equal(t, "other", string(got))
}

func TestADownloadThatBringsNothingIsGivenUp(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.cutAfter, s.cuts = 0, 1000
	d := newTestDownloader(t, s, t.TempDir())
	err := d.Install(t.Context(), find(t, d), nil)
	require.ErrorContains(t, err, "run install again")
	assert.Len(t, s.seen(), maxFutile+1)
}

func TestInstallRefusesWhatDoesNotMatch(t *testing.T) {
	archive := fakeBrowser(t)
	sum := sha256.Sum256(archive)
	for name, test := range map[string]struct {
		change func(*standIn)
		want   string // in the error; empty when it must work
	}{
		"wrong md5":             {func(s *standIn) { s.header = http.Header{"X-Goog-Hash": {"md5=AAAAAAAAAAAAAAAAAAAAAA=="}} }, "md5"},
		"wrong crc32c":          {func(s *standIn) { s.header = http.Header{"X-Goog-Hash": {"crc32c=AAAAAA=="}} }, "crc32c"},
		"wrong sha256":          {func(s *standIn) { s.sha256 = strings.Repeat("00", 32) }, "sha256"},
		"sha256 that is no hex": {func(s *standIn) { s.sha256 = "zz" }, "no valid sha256"},
		"right sha256 only":     {func(s *standIn) { s.header = nil; s.sha256 = hex.EncodeToString(sum[:]) }, ""},
		"both in one header": {func(s *standIn) {
			both := strings.Join(s.header["X-Goog-Hash"], ",")
			s.header = http.Header{"X-Goog-Hash": {both}}
		}, ""},
		"no hash at all": {func(s *standIn) { s.header = nil }, "--allow-unverified"},
		"not found":      {func(s *standIn) { s.header = http.Header{}; s.archive = nil; s.Config.Handler = notFoundZip{s} }, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t, archive)
			test.change(s)
			d := newTestDownloader(t, s, t.TempDir())
			b := find(t, d)
			err := d.Install(t.Context(), b, nil)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			assert.False(t, d.Installed(b))
			assertNoRests(t, d)
		})
	}
}

type notFoundZip struct{ s *standIn }

func (h notFoundZip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/shell.zip" {
		http.NotFound(w, r)
		return
	}
	h.s.ServeHTTP(w, r)
}

func TestAllowUnverifiedTakesAFileWithoutHash(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.header = nil
	d := newTestDownloader(t, s, t.TempDir())
	d.allowUnverified = true
	require.NoError(t, d.Install(t.Context(), find(t, d), nil))
}

func TestAWrongSizeIsRefused(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	d := newTestDownloader(t, s, t.TempDir())
	b := find(t, d)
	p := openPart(filepath.Join(t.TempDir(), "part"), b.URL)
	require.NoError(t, os.WriteFile(p.path, s.archive[:1000], 0o600))
	p.state.Total = int64(len(s.archive))
	p.state.Digest = readDigest(s.header)
	assert.ErrorContains(t, d.verify(b, p), "it has 1000 bytes instead of")

	d.maxArchive = 1000
	assert.ErrorContains(t, d.Install(t.Context(), b, nil), "more than the 1000 that are accepted")
}

func TestAnArchiveWithoutTheProgramIsRefused(t *testing.T) {
	d := newTestDownloader(t, newStandIn(t, makeZip(t, entry{testFolder + "/README", "x", 0o644})), t.TempDir())
	b := find(t, d)
	require.ErrorContains(t, d.Install(t.Context(), b, nil), "does not hold chrome-headless-shell-linux64/chrome-headless-shell")
	assert.False(t, d.Installed(b))
	assert.NoDirExists(t, filepath.Join(d.dir, testVersion))
}

func TestAFullDiskFailsAtOnce(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	s := newStandIn(t, fakeBrowser(t))
	d := newTestDownloader(t, s, t.TempDir())
	b := find(t, d)
	downloads := filepath.Join(d.dir, ".downloads")
	require.NoError(t, os.Mkdir(downloads, 0o755))
	part := filepath.Join(downloads, b.folder()+"-"+b.Version+".zip.part")
	require.NoError(t, os.Symlink("/dev/full", part))
	require.NoError(t, os.WriteFile(part+".json", []byte(`{"url":"`+b.URL+`","validator":"\"v1\""}`), 0o600))

	err := d.Install(t.Context(), b, nil)
	require.ErrorContains(t, err, "no space left on device")
	assert.Len(t, s.seen(), 1, "a full disk is no reason to download again")
}

func TestADirectoryThatCannotBeMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	d := newTestDownloader(t, newStandIn(t, fakeBrowser(t)), dir)
	assert.ErrorContains(t, d.Install(t.Context(), find(t, d), nil), "make the directory for downloads")
}

func TestTheLogSaysWhatHappens(t *testing.T) {
	s := newStandIn(t, fakeBrowser(t))
	s.cutAfter, s.cuts = 1000, 1
	d := newTestDownloader(t, s, t.TempDir())
	var log bytes.Buffer
	d.log = &log
	require.NoError(t, d.Install(t.Context(), find(t, d), nil))
	assert.Contains(t, log.String(), "downloading chrome-headless-shell 150.0.7000.1 for linux64")
	assert.Contains(t, log.String(), "was cut")
}

// assertNoRests checks that no half-done file or directory is left.
func assertNoRests(t *testing.T, d *Downloader) {
	t.Helper()
	for _, pattern := range []string{".downloads/*", ".unpack-*"} {
		rests, err := filepath.Glob(filepath.Join(d.dir, pattern))
		require.NoError(t, err)
		assert.Empty(t, rests)
	}
}
