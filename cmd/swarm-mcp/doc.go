// Command swarm-mcp serves a pool of browser tabs to an agent over the Model
// Context Protocol.
//
// This package turns flags and environment variables into a swarm.Config and
// owns what a process owns: its streams, its signals and its exit code. It
// knows nothing of browsers; that is package swarm, nor of tools; that is
// package mcpadapter.
//
// Exit codes: 0 when all went well, 1 when something failed, 2 when the
// command line could not be understood, 130 when the user interrupted.
package main
