package install

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DefaultIndex is where the last known good versions of Chrome for Testing
// are published.
const DefaultIndex = "https://googlechromelabs.github.io/chrome-for-testing/last-known-good-versions-with-downloads.json"

// The products of Chrome for Testing that we install.
const (
	HeadlessShell = "chrome-headless-shell"
	Chrome        = "chrome"
)

// maxIndex bounds the index's size; the longest of those published has 10 MB.
const maxIndex = 64 << 20

// Build is one product of one version for one platform.
type Build struct {
	Product  string `json:"product"`
	Version  string `json:"version"`
	Platform string `json:"platform"`
	URL      string `json:"url"`
	// SHA256 is in hex, empty when the index has none.
	SHA256 string `json:"sha256,omitempty"`
}

// folder is the build's top folder in its archive and where it is installed.
func (b Build) folder() string { return b.Product + "-" + b.Platform }

// executable is the program's path below the folder, with slashes.
func (b Build) executable() string {
	name := b.Product
	switch {
	case strings.HasPrefix(b.Platform, "win"):
		name += ".exe"
	case strings.HasPrefix(b.Platform, "mac") && b.Product == Chrome:
		const app = "Google Chrome for Testing"
		name = path.Join(app+".app", "Contents", "MacOS", app)
	}
	return path.Join(b.folder(), name)
}

// Platform is the index's name for a GOOS and GOARCH. It is an error when
// Chrome for Testing has no builds for it.
func Platform(goos, goarch string) (string, error) {
	switch goos + "/" + goarch {
	case "linux/amd64":
		return "linux64", nil
	case "darwin/amd64":
		return "mac-x64", nil
	case "darwin/arm64":
		return "mac-arm64", nil
	case "windows/amd64", "windows/arm64": // the latter emulates it
		return "win64", nil
	}
	return "", fmt.Errorf("no Chrome for Testing is published for %s/%s: install your system's Chromium package instead", goos, goarch)
}

// release is one version in the index.
type release struct {
	Version   string `json:"version"`
	Downloads map[string][]struct {
		Platform string `json:"platform"`
		URL      string `json:"url"`
		SHA256   string `json:"sha256"`
	} `json:"downloads"`
}

// index is either form that is published: the last known good version of
// each channel, or all known good versions.
type index struct {
	Channels map[string]release `json:"channels"`
	Versions []release          `json:"versions"`
}

// find returns the stable channel's build, or else the newest version's.
func (x *index) find(product, platform string) (Build, error) {
	var candidates []release
	if stable, ok := x.Channels["Stable"]; ok {
		candidates = append(candidates, stable)
	}
	newestFirst := slices.Clone(x.Versions)
	slices.SortStableFunc(newestFirst, func(a, b release) int { return compareVersions(b.Version, a.Version) })
	for _, r := range append(candidates, newestFirst...) {
		if !validVersion(r.Version) {
			continue
		}
		for _, d := range r.Downloads[product] {
			if d.Platform == platform {
				return Build{Product: product, Version: r.Version, Platform: platform, URL: d.URL, SHA256: d.SHA256}, nil
			}
		}
	}
	return Build{}, fmt.Errorf("the index has no %s for %s", product, platform)
}

// validVersion keeps anything but numbers and dots out of file names.
func validVersion(v string) bool {
	return regexp.MustCompile(`^\d+(\.\d+)*$`).MatchString(v)
}

func compareVersions(a, b string) int {
	numbers := func(v string) []int {
		var n []int
		for part := range strings.SplitSeq(v, ".") {
			i, err := strconv.Atoi(part)
			if err != nil {
				return nil // before all others
			}
			n = append(n, i)
		}
		return n
	}
	return slices.Compare(numbers(a), numbers(b))
}

// fetchIndex reads the index at address.
func fetchIndex(ctx context.Context, client *http.Client, address string) (*index, error) {
	resp, err := get(ctx, client, address, nil)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the index %s: the server answers %s", address, resp.Status)
	}
	var x index
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxIndex)).Decode(&x); err != nil {
		return nil, fmt.Errorf("read the index %s: %w", address, err)
	}
	return &x, nil
}

// get requests address, which must be https unless it is on this machine: the
// hashes come from the same server, so TLS is what vouches for them.
func get(ctx context.Context, client *http.Client, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if err := checkScheme(req.URL); err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity") // lengths and ranges count what arrives
	for name, values := range header {
		req.Header[name] = values
	}
	secure := *client
	secure.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) >= 10 {
			return fmt.Errorf("more than 10 redirects")
		}
		return checkScheme(req.URL)
	}
	return secure.Do(req)
}

func checkScheme(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme == "https" || u.Scheme == "http" && local {
		return nil
	}
	return fmt.Errorf("%s is not an https address", u.Redacted())
}
