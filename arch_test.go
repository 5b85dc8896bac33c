// Package swarmmcp_test holds the tests of the house as a whole.
package swarmmcp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/puppeteer-swarm/swarm-mcp"

// imports is what each package may import, besides the standard library: a
// path, or one ending in /... for all below it. Tests are exempt, but see
// TestTheAdapterAndTheBinaryKnowNoProtocol.
var imports = map[string][]string{
	"cmd/swarm-mcp": {"swarm", "mcpadapter", "internal/testsite", "cmd/swarm-mcp/internal/...",
		"github.com/alecthomas/kong", "github.com/mark3labs/mcp-go/client/...", "github.com/mark3labs/mcp-go/mcp", "github.com/schollz/progressbar/v3"},
	"cmd/swarm-mcp/e2e":              {},
	"cmd/swarm-mcp/internal/crawl":   {"github.com/temoto/robotstxt"},
	"cmd/swarm-mcp/internal/install": {},
	"mcpadapter":                     {"swarm", "github.com/mark3labs/mcp-go/..."},
	"swarm":                          {"swarm/internal/...", "github.com/chromedp/cdproto/...", "golang.org/x/image/webp"},
	"swarm/internal/cdp":             {"github.com/chromedp/cdproto/...", "github.com/chromedp/chromedp"},
	"swarm/internal/cdp/cdptest":     {"github.com/chromedp/cdproto/...", "github.com/chromedp/chromedp"},
	"swarm/internal/chrome":          {"github.com/chromedp/cdproto/...", "github.com/chromedp/chromedp"},
	"swarm/internal/engine":          {"github.com/chromedp/cdproto/..."},
	"swarm/internal/frames":          {"github.com/chromedp/cdproto/..."},
	"swarm/internal/input":           {"github.com/chromedp/cdproto/...", "github.com/chromedp/chromedp/kb"},
	"swarm/internal/markdown": {"github.com/JohannesKaufmann/html-to-markdown/v2/...", "codeberg.org/readeck/go-readability/v2",
		"golang.org/x/net/html/..."},
	"swarm/internal/pool":     {},
	"swarm/internal/selector": {},
	"internal/testsite":       {},
}

// source is a parsed Go file of the module.
type source struct {
	path, pkg string // relative to the root
	test      bool
	lines     int
	file      *ast.File
}

func sources(t *testing.T) (all []source) {
	t.Helper()
	fset := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		pkg := filepath.ToSlash(filepath.Dir(path))
		all = append(all, source{path, pkg, strings.HasSuffix(path, "_test.go"), fset.File(file.Pos()).LineCount(), file})
		return nil
	}))
	return all
}

// allowed reports whether a path is one of the list.
func allowed(path string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		if below, ok := strings.CutSuffix(entry, "/..."); ok {
			return path == below || strings.HasPrefix(path, below+"/")
		}
		return path == entry
	})
}

// imported lists what a file imports from outside the standard library, the
// module's own packages without its path.
func imported(f *ast.File) (paths []string) {
	for _, spec := range f.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		own, ok := strings.CutPrefix(path, module+"/")
		if first, _, _ := strings.Cut(path, "/"); ok || strings.Contains(first, ".") {
			paths = append(paths, own)
		}
	}
	return paths
}

func TestEachPackageImportsWhatItMay(t *testing.T) {
	used := map[string][]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		list, known := imports[s.pkg]
		require.True(t, known, "enter %s into the table", s.pkg)
		used[s.pkg] = append(used[s.pkg], imported(s.file)...)
		for _, path := range imported(s.file) {
			assert.True(t, allowed(path, list), "%s imports %s", s.path, path)
		}
	}
	for pkg, list := range imports {
		_, there := used[pkg]
		assert.True(t, there, "%s is in the table and not in the tree", pkg)
		for _, entry := range list {
			assert.True(t, slices.ContainsFunc(used[pkg], func(path string) bool { return allowed(path, []string{entry}) }),
				"%s may import %s and does not: take it out of the table", pkg, entry)
		}
	}
}

func TestTheAdapterAndTheBinaryKnowNoProtocol(t *testing.T) {
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.pkg, "mcpadapter") && !strings.HasPrefix(s.pkg, "cmd/") {
			continue
		}
		for _, path := range imported(s.file) {
			assert.False(t, allowed(path, []string{"swarm/internal/...", "github.com/chromedp/..."}), "%s imports %s", s.path, path)
		}
	}
}

func TestEachPackageSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	for _, s := range sources(t) {
		if filepath.Base(s.path) == "doc.go" {
			said[s.pkg] = s.file.Doc != nil && len(s.file.Doc.Text()) > 40
		}
	}
	for pkg := range imports {
		assert.True(t, said[pkg], "%s has no doc.go with a package comment", pkg)
	}
}

func TestNoInitAndNoFileTooLongToRead(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				assert.NotEqual(t, "init", f.Name.Name, s.path)
			}
		}
		if !s.test {
			assert.LessOrEqual(t, s.lines, 600, "%s is too long: split it by noun", s.path)
		}
	}
}

// The arguments are an input of the binary; what lies below gets them as values.
func TestOnlyMainReadsTheArguments(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.path == "cmd/swarm-mcp/main.go" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && x.Sel.Name == "Args" {
				if of, ok := x.X.(*ast.Ident); ok {
					assert.NotEqual(t, "os", of.Name, "%s reads os.Args", s.path)
				}
			}
			return true
		})
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					assert.True(t, startsWith(d.Doc, d.Name.Name), "%s: %s", s.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					names, doc := named(spec)
					for _, name := range names {
						assert.True(t, startsWith(doc, name) || startsWith(d.Doc, name) || d.Doc != nil && d.Lparen.IsValid(), "%s: %s", s.path, name)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a function is no method or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	receiver := d.Recv.List[0].Type
	for {
		switch x := receiver.(type) {
		case *ast.StarExpr:
			receiver = x.X
		case *ast.IndexExpr:
			receiver = x.X
		case *ast.IndexListExpr:
			receiver = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// named lists the exported names that a declaration declares, with its comment.
func named(spec ast.Spec) (names []string, doc *ast.CommentGroup) {
	var idents []*ast.Ident
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		idents, doc = []*ast.Ident{spec.Name}, spec.Doc
	case *ast.ValueSpec:
		idents, doc = spec.Names, spec.Doc
	}
	for _, ident := range idents {
		if ident.IsExported() {
			names = append(names, ident.Name)
		}
	}
	return names, doc
}

// startsWith reports whether a comment's first word is the name.
func startsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.FieldsFunc(doc.Text(), func(r rune) bool { return strings.ContainsRune(" \n,.:", r) })
	return len(words) > 0 && words[0] == name
}

func TestTheIndexOfDecisionsIsWhole(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	require.NoError(t, err)
	entries, err := os.ReadDir("docs/decisions")
	require.NoError(t, err)
	var records, listed []string
	for _, entry := range entries {
		if entry.Name() == "README.md" {
			continue
		}
		records = append(records, entry.Name())
		assert.Regexp(t, `^\d{4}-\d\d-\d\d-[a-z0-9-]+\.md$`, entry.Name())
		text, err := os.ReadFile(filepath.Join("docs/decisions", entry.Name()))
		require.NoError(t, err)
		assert.Contains(t, string(text), "What was not done", entry.Name())
	}
	require.NotEmpty(t, records)
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(index), -1) {
		listed = append(listed, m[1])
	}
	assert.ElementsMatch(t, records, listed)
}

// texts calls f with each file of the tree that is not ignored.
func texts(t *testing.T, f func(path, text string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "demo-out"}, path):
			return filepath.SkipDir
		case !d.Type().IsRegular(), slices.Contains([]string{".test", ".prof"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f(filepath.ToSlash(path), string(text))
		}
		return err
	}))
}

// Which mirror of a package registry is used is the machine's affair.
func TestNoFileNamesARegistry(t *testing.T) {
	hosts := []string{"proxy.golang" + ".org", "sum.golang" + ".org", ".debian" + ".org", "archive.ubuntu" + ".com",
		"registry.npm" + "js", "registry.yarn" + "pkg"}
	texts(t, func(path, text string) {
		for _, host := range hosts {
			assert.False(t, strings.Contains(strings.ToLower(text), host), "%s names %s", path, host)
		}
	})
}

func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	texts(t, func(path, text string) {
		if filepath.Ext(path) != ".md" || strings.Contains(path, "testdata/") {
			return
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], ":") {
				assert.FileExists(t, filepath.Join(filepath.Dir(path), m[1]), "%s links to it", path)
			}
		}
	})
}
