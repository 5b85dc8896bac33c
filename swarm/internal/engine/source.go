package engine

import (
	"embed"
	"strings"
)

const (
	// World is the name of the isolated world that the engine lives in.
	World = "swarm"
	// Binding is the function by which a click's guard reports its Verdict;
	// it is to be added to World with Runtime.addBinding.
	Binding = "swarmVerdict"
)

//go:embed js
var files embed.FS

// parts are the files of the engine, in the order in which they need each other.
var parts = [...]string{"dom.js", "aria.js", "query.js", "state.js", "act.js", "read.js", "exports.js"}

// Source returns the script to install in World of every new document.
func Source() string {
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (globalThis.swarmEngine) return swarmEngine.listen();\n")
	for _, name := range parts {
		b.WriteString(read(name))
	}
	b.WriteString("})();\n")
	return b.String()
}

// Serializer returns a JavaScript function expression that turns any value
// into JSON text as the tool contract has it for evaluate: NaN is "NaN", 12n
// is "12n", a cycle is "[Circular]", a node is "<button#save>", undefined is
// null. It is meant for the page's own world.
func Serializer() string { return strings.TrimSpace(read("serialize.js")) }

func read(name string) string {
	text, err := files.ReadFile("js/" + name)
	if err != nil {
		panic("engine: " + err.Error()) // Embedded at build time; a test reads them all.
	}
	return string(text)
}
