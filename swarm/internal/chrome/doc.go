// Package chrome finds, starts and stops a browser of the Chromium family.
//
// Find says which browser there is, Probe what the machine allows, Flags what
// command line follows from both, and Launch starts it: in a process group of
// its own, with a private run directory for its profile and its temporary
// files, and with a pipe (never a port) for the protocol. It returns when the
// browser has answered once.
//
// It is not a client of the protocol: a Process hands over its Transport and
// reads nothing from it afterwards. It does not restart what died, and it does
// not download browsers; it only knows where those are that were.
//
// # Ownership
//
// The caller of Launch owns the Process and must call Stop, also after the
// browser died by itself: Stop is what removes the run directory. A run
// directory is held by a lock for as long as the process that made it lives,
// so Sweep can tell what a killed owner left behind from what is in use. The
// browser does not outlive its owner: on Linux the kernel kills it, elsewhere
// it exits when the pipe closes.
//
// # Concurrency
//
// All functions, and all methods of Process, are safe for concurrent use. One
// goroutine for each Process, pinned to a thread, starts the browser and waits
// for it; it ends when the browser does.
package chrome
