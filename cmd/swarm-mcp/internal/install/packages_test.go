package install

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDebianLike(t *testing.T) {
	assert.True(t, debianLike("NAME=x\nID=debian\n"))
	assert.True(t, debianLike("ID=ubuntu\nID_LIKE=debian\n"))
	assert.True(t, debianLike("ID=mint\nID_LIKE=\"ubuntu debian\"\n"))
	assert.False(t, debianLike("ID=fedora\nNAME=debian\n"))
	assert.False(t, debianLike(""))
}

// fakeCommand puts a shell script named name first on the PATH.
func fakeCommand(t *testing.T, name, script string) {
	if runtime.GOOS == "windows" {
		t.Skip("the packages are installed on Linux only; the stand-in for apt-get is a shell script")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestPackagesUpdateTheListsWhenInstallFails(t *testing.T) {
	lists := filepath.Join(t.TempDir(), "lists")
	fakeCommand(t, "apt-get", `
if [ "$1" = update ]; then touch `+lists+`; echo updated; exit 0; fi
[ -e `+lists+` ] || { echo "E: Unable to locate package" >&2; exit 100; }
echo "installing $DEBIAN_FRONTEND"`)

	var log bytes.Buffer
	p := Packages{Log: &log}
	require.NoError(t, p.Install(t.Context(), p.Names(true)))
	assert.Contains(t, log.String(), "Unable to locate package")
	assert.Contains(t, log.String(), "updated\n")
	assert.Contains(t, log.String(), "installing noninteractive\n")
	assert.Contains(t, log.String(), " chromium-headless-shell chromium fonts-")
}

func TestPackagesThatCannotBeHad(t *testing.T) {
	fakeCommand(t, "apt-get", `[ "$1" = update ]`)
	p := Packages{Log: t.Output()}
	assert.ErrorContains(t, p.Install(t.Context(), p.Names(false)), "run apt-get install: exit status 1")
}

func TestPackagesInstalled(t *testing.T) {
	names := []string{"a", "b"}
	for script, want := range map[string]bool{
		`printf 'installed\ninstalled\n'`:     true,
		`printf 'installed\nnot-installed\n'`: false,
		`printf 'installed\nconfig-files\n'`:  false,
		`printf 'installed\n'; exit 1`:        false,
	} {
		fakeCommand(t, "dpkg-query", script)
		assert.Equal(t, want, Packages{}.Installed(t.Context(), names), script)
	}
}
