package testsite

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// perPage is how many products or articles a list page shows.
const perPage = 4

// link is an address and its words.
type link struct{ Path, Text string }

// list is one page of a paginated list.
type list[T any] struct {
	Intro      string
	Items      []T
	Prev, Next string // "" at the ends
	Numbers    []pageNumber
}

type pageNumber struct {
	Number  int
	Path    string
	Current bool
}

// paginate splits items into list pages: base, base+"page/2" and so on.
func paginate[T any](base, intro string, items []T) (lists []list[T], paths []string) {
	chunks := slices.Collect(slices.Chunk(items, perPage))
	for i := range chunks {
		path := base
		if i > 0 {
			path = fmt.Sprintf("%spage/%d", base, i+1)
		}
		paths = append(paths, path)
	}
	for i, chunk := range chunks {
		l := list[T]{Intro: intro, Items: chunk}
		if i > 0 {
			l.Prev = paths[i-1]
		}
		if i+1 < len(paths) {
			l.Next = paths[i+1]
		}
		for j, path := range paths {
			l.Numbers = append(l.Numbers, pageNumber{Number: j + 1, Path: path, Current: j == i})
		}
		lists = append(lists, l)
	}
	return lists, paths
}

// numbered is the heading of the i-th page of a list.
func numbered(heading string, i int) string {
	if i == 0 {
		return heading
	}
	return fmt.Sprintf("%s, page %d", heading, i+1)
}

func homeEntry() entry {
	return newEntry("/", "Tea, paper and time", "home", "home", struct {
		Categories []category
		Products   []product
		Articles   []article
		Searches   []link
	}{
		categories(), products()[:perPage], articles()[:3],
		[]link{{"/search?q=tea", "tea"}, {"/search?q=cup", "cup"}, {"/search?q=umbrella", "umbrella"}},
	})
}

// shopEntries are the front of the shop, its categories, its products and the
// one that is no more.
func shopEntries() []entry {
	all := []entry{newEntry("/shop/", "Shop", "list", "shop", categories())}
	for _, c := range categories() {
		lists, paths := paginate(c.Path(), c.About, productsOf(c))
		for i, l := range lists {
			all = append(all, newEntry(paths[i], numbered(c.Name, i), "list", "category", l))
		}
	}
	for _, p := range products() {
		all = append(all, newEntry(p.Path(), p.Name, "product", "product", p))
	}
	gone := newEntry("/shop/discontinued", "Discontinued", "missing", "error", "We do not sell this any more.")
	gone.Status = http.StatusNotFound
	return append(all, gone)
}

// search is a query and what it found.
type search struct {
	Query    string
	Products []product
	Articles []article
}

// searchEntry is the answer to a query: products and articles that have it in
// their names, tags or descriptions. An empty query finds nothing.
func searchEntry(q string) entry {
	q = strings.TrimSpace(q)
	found := search{Query: q}
	path, heading := "/search", "Search"
	if q != "" {
		path, heading = "/search?q="+url.QueryEscape(q), "Search: "+q
		for _, p := range products() {
			if contains(p.Name+" "+p.About, q) {
				found.Products = append(found.Products, p)
			}
		}
		for _, a := range articles() {
			if contains(a.Title+" "+strings.Join(a.Tags, " "), q) {
				found.Articles = append(found.Articles, a)
			}
		}
	}
	return newEntry(path, heading, "search", "search", found)
}

func contains(text, q string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(q))
}
