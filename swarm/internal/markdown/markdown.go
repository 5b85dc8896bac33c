package markdown

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Options are the options of Convert.
type Options struct {
	// Main keeps only the main content of an article's page, under its title.
	// A page without anything like that is converted whole.
	Main bool
}

// minArticle is the least text, in characters, that is taken for an article.
const minArticle = 250

// Convert returns an HTML document or fragment as Markdown: GitHub's tables,
// fenced code, links and images with absolute addresses. Scripts, style
// sheets, hidden elements, form fields and frames are left out, and so are
// addresses that only a browser can use (javascript:, data:).
//
// base is what relative addresses are relative to (document.baseURI); they
// stay as they are if it is empty or not hierarchical, as about:blank is.
// Elements nested more than some 500 deep are an error.
func Convert(src, base string, opts *Options) (string, error) {
	if opts == nil {
		opts = &Options{}
	}
	baseURL, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("parse the base address: %w", err)
	}
	if tablePart.MatchString(src) {
		src = "<table>" + src // else the parser drops its tags
	}
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return "", fmt.Errorf("parse the HTML: %w", err)
	}
	if opts.Main {
		// Before clean, which removes what it goes by (scripts with metadata).
		if article := mainContent(doc, baseURL); article != nil {
			doc = article
		}
	}
	clean(doc, baseURL)
	out, err := newConverter().ConvertNode(doc)
	if err != nil {
		return "", fmt.Errorf("convert to Markdown: %w", err)
	}
	return string(out), nil
}

var tablePart = regexp.MustCompile(`(?i)^\s*<(tr|td|th|tbody|thead|tfoot|caption)[\s>]`)

func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
		),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true),
			table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
}

// mainContent returns a document of the article in doc under its title, or nil
// if there is none to speak of. It leaves doc as it is.
func mainContent(doc *html.Node, base *url.URL) *html.Node {
	article, err := readability.FromDocument(doc, base)
	if err != nil || article.Node == nil {
		return nil // all that can be said is that it found none
	}
	var text strings.Builder
	if err := article.RenderText(&text); err != nil || utf8.RuneCountInString(strings.TrimSpace(text.String())) < minArticle {
		return nil
	}
	main := &html.Node{Type: html.DocumentNode}
	if title := article.Title(); title != "" {
		h1 := element(atom.H1)
		h1.AppendChild(&html.Node{Type: html.TextNode, Data: title})
		main.AppendChild(h1)
	}
	if article.Node.Parent != nil {
		article.Node.Parent.RemoveChild(article.Node)
	}
	main.AppendChild(article.Node)
	return main
}

func element(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
}

// clean removes what is not for reading and makes addresses absolute.
func clean(n *html.Node, base *url.URL) {
	var drop []*html.Node
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && !readable(c) {
			drop = append(drop, c)
			continue
		}
		clean(c, base)
	}
	for _, c := range drop {
		n.RemoveChild(c)
	}
	switch n.DataAtom {
	case atom.Td, atom.Th:
		n.Attr = slices.DeleteFunc(n.Attr, tooWide)
	case atom.A:
		absolute(n, "href", base)
	case atom.Img:
		absolute(n, "src", base)
		if src, _ := attr(n, "src"); src == "" {
			alt, _ := attr(n, "alt")
			*n = html.Node{Type: html.TextNode, Data: alt, Parent: n.Parent, PrevSibling: n.PrevSibling, NextSibling: n.NextSibling}
		}
	}
}

// The declarations of a style attribute that hide an element.
var hiding = regexp.MustCompile(`(?i)(^|;)\s*(display\s*:\s*none|visibility\s*:\s*(hidden|collapse))\b`)

func readable(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg, atom.Object, atom.Datalist:
		return false
	case atom.Dialog:
		if _, open := attr(n, "open"); !open {
			return false
		}
	}
	if _, hidden := attr(n, "hidden"); hidden {
		return false
	}
	style, _ := attr(n, "style")
	return !hiding.MatchString(style)
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// tooWide reports whether a is a span that would make a table of nothing but
// empty cells, of any size that a page cares to name.
func tooWide(a html.Attribute) bool {
	const most = 100
	if a.Key != "colspan" && a.Key != "rowspan" {
		return false
	}
	span, err := strconv.Atoi(strings.TrimSpace(a.Val))
	return err != nil || span > most
}

// absolute resolves the address in an attribute, or removes the attribute if
// it is of no use outside of a browser.
func absolute(n *html.Node, key string, base *url.URL) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	if i < 0 {
		return
	}
	u, err := url.Parse(strings.TrimSpace(n.Attr[i].Val))
	if err != nil {
		return // shown as it is
	}
	switch u.Scheme {
	case "javascript", "data", "blob":
		n.Attr = slices.Delete(n.Attr, i, i+1)
		return
	}
	if base.Opaque == "" {
		u = base.ResolveReference(u)
	}
	n.Attr[i].Val = u.String()
}
