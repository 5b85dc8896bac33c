package mcpadapter

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDocsTools(t *testing.T)  { fresh(t, "../docs/tools.md", toolDocs(declared())) }
func TestDocsErrors(t *testing.T) { fresh(t, "../docs/errors.md", errorsDoc()) }

// The README's table of tools stands between two marks.
func TestDocsReadme(t *testing.T) {
	const begin, end = "<!-- tools:begin -->\n", "<!-- tools:end -->"
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(readme), begin)
	require.True(t, ok, "README.md has no line %q", begin)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "README.md has no %q", end)
	fresh(t, "../README.md", before+begin+ToolTable()+end+after)
}

// Every error type of the library is in the docs.
func TestErrorDocsAreComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../swarm/errors.go", nil, 0)
	require.NoError(t, err)
	var types []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "ErrorType" {
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				types = append(types, text)
			}
		}
		return true
	})
	require.NotEmpty(t, types)
	var documented []string
	for _, d := range errorDocs() {
		documented = append(documented, string(d.of))
	}
	assert.ElementsMatch(t, types, documented)
}
