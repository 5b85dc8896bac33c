package chrome

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProbe(t *testing.T) {
	env := Probe("")
	assert.Equal(t, runtime.GOOS, env.GOOS)
	assert.Equal(t, os.Geteuid() == 0, env.Root)
	t.Setenv("DISPLAY", ":1")
	assert.True(t, Probe("").Display)
}

func TestHaveFonts(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, haveFonts([]string{filepath.Join(dir, "none"), dir}))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "deep"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deep", "a.TTF"), nil, 0o600))
	assert.True(t, haveFonts([]string{filepath.Join(dir, "none"), dir}))
}
