package install

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of an archive's content, several times what a browser has.
const (
	maxEntries  = 50_000
	maxUnpacked = 4 << 30
	maxLink     = 4096
)

// unzip unpacks archive into dir, which must exist. Nothing is written
// outside of dir and no link leads out of it. Permissions are kept, set-id
// bits are not.
func unzip(archive, dir string) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("open the archive: %w", err)
	}
	defer reader.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()

	if len(reader.File) > maxEntries {
		return fmt.Errorf("the archive has %d entries, more than %d", len(reader.File), maxEntries)
	}
	left := int64(maxUnpacked)
	for _, entry := range reader.File {
		n, err := unzipEntry(root, entry, left)
		if err != nil {
			return fmt.Errorf("unpack %q: %w", entry.Name, err)
		}
		left -= n
	}
	return nil
}

// unzipEntry writes one entry of at most limit bytes and returns how many it had.
func unzipEntry(root *os.Root, entry *zip.File, limit int64) (int64, error) {
	name := strings.TrimSuffix(entry.Name, "/")
	if strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return 0, errors.New("the name leads out of the archive")
	}
	local := filepath.FromSlash(name)
	mode := entry.Mode()
	if mode.IsDir() {
		return 0, root.MkdirAll(local, mode.Perm()|0o700)
	}
	if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return 0, err
	}
	content, err := entry.Open()
	if err != nil {
		return 0, err
	}
	defer content.Close()
	switch {
	case mode&fs.ModeSymlink != 0:
		return 0, unzipLink(root, name, content)
	case mode.IsRegular():
		return unzipFile(root, local, mode.Perm()|0o600, content, limit)
	}
	return 0, fmt.Errorf("it is neither file, directory nor link (%v)", mode)
}

func unzipFile(root *os.Root, local string, perm fs.FileMode, content io.Reader, limit int64) (int64, error) {
	file, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := io.Copy(file, io.LimitReader(content, limit+1))
	switch {
	case err != nil:
		return n, err
	case n > limit:
		return n, fmt.Errorf("the archive holds more than %d bytes", int64(maxUnpacked))
	}
	return n, file.Close()
}

// unzipLink makes a symbolic link that stays inside of the archive.
func unzipLink(root *os.Root, name string, content io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(content, maxLink))
	if err != nil {
		return err
	}
	target := string(raw)
	if target == "" || path.IsAbs(target) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(name), target))) {
		return fmt.Errorf("the link to %q leads out of the archive", target)
	}
	return root.Symlink(filepath.FromSlash(target), filepath.FromSlash(name))
}
