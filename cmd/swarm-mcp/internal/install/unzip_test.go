package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnzipStaysInside(t *testing.T) {
	link := fs.ModeSymlink | 0o777
	for name, entries := range map[string][]entry{
		"parent":                      {{"../evil", "x", 0o644}},
		"parent in the middle":        {{"a/../../evil", "x", 0o644}},
		"absolute":                    {{"/tmp/evil", "x", 0o644}},
		"backslashes":                 {{`a\..\..\evil`, "x", 0o644}},
		"empty name":                  {{"/", "", fs.ModeDir | 0o755}},
		"link out":                    {{"a/link", "../../evil", link}},
		"absolute link":               {{"link", "/etc", link}},
		"empty link":                  {{"link", "", link}},
		"through a link to its child": {{"a/b/x", "x", 0o644}, {"link", "a/b", link}, {"link/../../../evil", "x", 0o644}},
		"two links that add up":       {{"a/b/x", "x", 0o644}, {"up", "a/b", link}, {"a/b/out", "../..", link}, {"a/b/far", "out/../..", link}, {"a/b/far/evil", "x", 0o644}},
		"file written twice":          {{"a", "x", 0o644}, {"a", "y", 0o644}},
		"file over a link":            {{"a", "x", 0o644}, {"l", "a", link}, {"l", "y", 0o644}},
		"device":                      {{"dev", "", fs.ModeDevice | 0o666}},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "x", "y")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			assert.Error(t, unzip(writeZip(t, entries...), dir))
			assert.NoFileExists(t, filepath.Join(parent, "evil"))
			assert.NoFileExists(t, filepath.Join(parent, "x", "evil"))
		})
	}
}

func TestUnzipKeepsModesAndInnerLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, unzip(writeZip(t,
		entry{"top/App.app/Versions/1/bin", "program", 0o755},
		entry{"top/App.app/Versions/Current", "1", fs.ModeSymlink | 0o777},
		entry{"top/App.app/bin", "Versions/Current/bin", fs.ModeSymlink | 0o777},
		entry{"top/data", "data", 0o444},
		entry{"top/setuid", "x", fs.ModeSetuid | 0o755},
	), dir))

	got, err := os.ReadFile(filepath.Join(dir, "top/App.app/bin"))
	require.NoError(t, err)
	assert.Equal(t, "program", string(got))
	for name, want := range map[string]fs.FileMode{"top/App.app/Versions/1/bin": 0o755, "top/data": 0o644, "top/setuid": 0o755} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode(), name)
	}
}

func TestUnzipRefusesADamagedArchive(t *testing.T) {
	raw := fakeBrowser(t)
	raw[len(raw)/2] ^= 0xff
	name := filepath.Join(t.TempDir(), "damaged.zip")
	require.NoError(t, os.WriteFile(name, raw, 0o600))
	assert.Error(t, unzip(name, t.TempDir()))
}

func writeZip(t *testing.T, entries ...entry) string {
	name := filepath.Join(t.TempDir(), "test.zip")
	require.NoError(t, os.WriteFile(name, makeZip(t, entries...), 0o600))
	return name
}
