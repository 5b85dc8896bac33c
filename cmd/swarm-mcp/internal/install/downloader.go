package install

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Options are what NewDownloader takes. Dir, Index and Platform are required.
type Options struct {
	// Dir is where versions are installed.
	Dir string
	// Index is the address of the index, as DefaultIndex.
	Index string
	// Platform is the index's name of the platform, from Platform.
	Platform string
	// AllowUnverified installs a file for which no hash is known.
	AllowUnverified bool
	// Log takes a line for each thing done; nil discards them.
	Log io.Writer
}

// Downloader installs builds of Chrome for Testing.
type Downloader struct {
	dir, index, platform string
	allowUnverified      bool
	log                  io.Writer

	client     *http.Client
	pause      time.Duration // before the second futile attempt, then doubled
	maxArchive int64
}

// NewDownloader returns a Downloader; it does nothing yet.
func NewDownloader(o Options) *Downloader {
	d := &Downloader{
		dir: o.Dir, index: o.Index, platform: o.Platform,
		allowUnverified: o.AllowUnverified,
		log:             o.Log,
		client: &http.Client{Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:   15 * time.Second,
			ResponseHeaderTimeout: stallLimit,
		}},
		pause:      time.Second,
		maxArchive: 1 << 30,
	}
	if d.log == nil {
		d.log = io.Discard
	}
	return d
}

// Find returns the products' builds of the newest stable version.
func (d *Downloader) Find(ctx context.Context, products ...string) ([]Build, error) {
	x, err := fetchIndex(ctx, d.client, d.index)
	if err != nil {
		return nil, err
	}
	var builds []Build
	for _, product := range products {
		b, err := x.find(product, d.platform)
		if err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}

// Path is the build's program once it is installed.
func (d *Downloader) Path(b Build) string {
	return filepath.Join(d.dir, b.Version, filepath.FromSlash(b.executable()))
}

// Installed reports whether the build is there already.
func (d *Downloader) Installed(b Build) bool {
	info, err := os.Stat(d.Path(b))
	return err == nil && info.Mode().IsRegular()
}

// Install downloads, checks and unpacks the build, unless it is there.
// progress, which may be nil, hears of the bytes that have arrived; total is
// -1 when it is not known.
func (d *Downloader) Install(ctx context.Context, b Build, progress func(done, total int64)) error {
	if d.Installed(b) {
		return nil
	}
	downloads := filepath.Join(d.dir, ".downloads")
	if err := os.MkdirAll(downloads, 0o755); err != nil {
		return fmt.Errorf("make the directory for downloads: %w", err)
	}
	d.logf("downloading %s %s for %s", b.Product, b.Version, b.Platform)
	p := openPart(filepath.Join(downloads, b.folder()+"-"+b.Version+".zip.part"), b.URL)
	if progress != nil {
		p.progress = progress
	}
	if err := d.fetch(ctx, b, p); err != nil {
		return err
	}
	d.logf("unpacking")
	if err := d.unpack(b, p.path); err != nil {
		return fmt.Errorf("unpack %s: %w", b.URL, err)
	}
	p.discard()
	return nil
}

// unpack puts the archive's folder in its place, whole or not at all.
func (d *Downloader) unpack(b Build, archive string) error {
	// One name a build, so that what a killed process left goes now.
	temp := filepath.Join(d.dir, ".unpack-"+b.folder()+"-"+b.Version)
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	if err := os.Mkdir(temp, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := unzip(archive, temp); err != nil {
		return err
	}
	program := filepath.Join(temp, filepath.FromSlash(b.executable()))
	if info, err := os.Stat(program); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the archive does not hold %s", b.executable())
	}
	target := filepath.Join(d.dir, b.Version, b.folder())
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	// A folder without its program is in the way: rename would refuse.
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	return os.Rename(filepath.Join(temp, b.folder()), target)
}

func (d *Downloader) logf(format string, args ...any) {
	fmt.Fprintf(d.log, format+"\n", args...)
}
