package chrome

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// versionTimeout bounds `browser --version`; on a busy machine the first load
// of the program from disk takes seconds.
const versionTimeout = 10 * time.Second

// Version returns the version of the browser at path, as "156.0.8078.114". It
// runs the browser with --version, except on Windows, where that would open a
// window: there it reads the name of the directory with the browser's files.
func Version(ctx context.Context, path string) (string, error) {
	if runtime.GOOS == "windows" {
		return versionFromFiles(path)
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	version := versionPattern().FindString(string(out))
	if version == "" {
		return "", fmt.Errorf("ask %s for its version: it printed %.100q", path, out)
	}
	return version, nil
}

// versionFromFiles finds a directory named as a version beside the program, as
// Chrome's installer makes it, or above it, as InstallDir has it.
func versionFromFiles(path string) (string, error) {
	number := versionPattern()
	dir := filepath.Dir(path)
	var versions []string
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("find the version of %s: %w", path, err)
	}
	for _, e := range list {
		if e.IsDir() && number.FindString(e.Name()) == e.Name() {
			versions = append(versions, e.Name())
		}
	}
	if len(versions) > 0 {
		return slices.MaxFunc(versions, compareVersions), nil
	}
	if v := number.FindString(filepath.Base(filepath.Dir(dir))); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("find the version of %s: no directory tells it", path)
}

func versionPattern() *regexp.Regexp { return regexp.MustCompile(`\d+(\.\d+){2,}`) }
