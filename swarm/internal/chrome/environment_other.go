//go:build !linux

package chrome

// Probe asks these on Linux only.

func whyNoSandbox(string) string { return "" }

func fileSystemSize(string) uint64 { return 0 }
