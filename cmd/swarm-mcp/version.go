package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd is "swarm-mcp version".
type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// version is what the Go toolchain has put into the binary.
type version struct {
	// Version is the module's, as "v1.2.3"; "(devel)" when not built from a
	// version control checkout or a released module.
	Version string `json:"version"`
	// Commit is the revision built, empty when unknown.
	Commit string `json:"commit,omitempty"`
	// Modified is true when the working tree held more than the commit.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// readVersion reads the running binary's build information.
func readVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String is one line for people.
func (v version) String() string {
	line := "swarm-mcp " + v.Version
	if v.Commit != "" {
		line += " commit " + v.Commit
	}
	if v.Modified {
		line += " (modified)"
	}
	return line + " " + v.Go + " " + v.Platform
}

// Run prints the version.
func (c *versionCmd) Run(p process) error {
	v := readVersion()
	if !c.JSON {
		_, err := fmt.Fprintln(p.out, v)
		return err
	}
	return printJSON(p.out, v)
}
