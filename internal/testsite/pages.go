package testsite

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
)

// siteName ends the title of every page of the shop.
const siteName = "Kettle & Page"

// Page is an address of the shop that plain links lead to from "/".
type Page struct {
	// Path begins with "/" and holds the query if there is one.
	Path string
	// Title is the document's title as the browser has it; empty for what is no HTML.
	Title string
	// Kind is home, list, product, article, docs, gallery, search, about, app,
	// widgets, frame, slow, missing, broken, json or download.
	Kind string
	// Status is the HTTP status: 404 for the one missing page, 500 for the
	// broken one, else 200.
	Status int
}

// IsHTML says whether the page is a document and not data or a file.
func (p Page) IsHTML() bool { return p.Kind != "json" && p.Kind != "download" }

// Pages lists the shop, each address once, "/" first.
func Pages() []Page {
	var pages []Page
	for _, e := range entries() {
		pages = append(pages, e.Page)
	}
	return append(pages,
		Page{Path: productsPath, Kind: "json", Status: http.StatusOK},
		Page{Path: pricesPath, Kind: "download", Status: http.StatusOK})
}

// entry is an HTML page of the shop and how it is made.
type entry struct {
	Page
	heading string        // the title without the site's name
	view    string        // its template under pages/shop, without ".html"
	data    any           // what the template shows
	body    string        // a file of HTML to include, if any
	lang    string        // of the content; "" is English
	delay   time.Duration // before the answer
}

// newEntry fills in what most entries have in common.
func newEntry(path, heading, kind, view string, data any) entry {
	return entry{
		Page:    Page{Path: path, Title: heading + " – " + siteName, Kind: kind, Status: http.StatusOK},
		heading: heading,
		view:    view,
		data:    data,
	}
}

// entries is the shop: what Pages tells and Handler serves.
func entries() []entry {
	return slices.Concat(
		[]entry{homeEntry()},
		shopEntries(),
		blogEntries(),
		docsEntries(),
		sectionEntries(),
		reportEntries(),
		[]entry{searchEntry(""), searchEntry("tea"), searchEntry("cup"), searchEntry("umbrella")},
	)
}

// addShop serves every entry and what the entries need.
func addShop(mux *http.ServeMux) {
	v := newViews()
	for _, e := range entries() {
		if e.Kind == "search" {
			continue // made for each query
		}
		mux.HandleFunc("GET "+exact(e.Path), func(w http.ResponseWriter, r *http.Request) { v.serve(w, r, e) })
	}
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		v.serve(w, r, searchEntry(r.URL.Query().Get("q")))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		lost := newEntry(r.URL.Path, "Not found", "missing", "error", "There is nothing at this address.")
		lost.Status = http.StatusNotFound
		v.serve(w, r, lost)
	})
	addData(mux)
	addImages(mux)
}

// exact is the pattern of a path and not of what is below it.
func exact(path string) string {
	if strings.HasSuffix(path, "/") {
		return path + "{$}"
	}
	return path
}

// views are the templates by name, each with the layout around it.
type views map[string]*template.Template

// newViews parses what is compiled in; a fault there is found by every test.
func newViews() views {
	funcs := template.FuncMap{"price": price}
	layout := template.Must(template.New("layout.html").Funcs(funcs).ParseFS(files, "pages/shop/layout.html", "pages/shop/parts.html"))
	v := views{}
	for _, e := range entries() {
		if v[e.view] == nil {
			v[e.view] = template.Must(template.Must(layout.Clone()).ParseFS(files, "pages/shop/"+e.view+".html"))
		}
	}
	return v
}

// document is what the layout shows.
type document struct {
	Title, Heading, Kind, Lang string
	Body                       template.HTML
	Data                       any
}

func (v views) serve(w http.ResponseWriter, r *http.Request, e entry) {
	if !pause(r.Context(), e.delay) {
		return
	}
	page, err := v.render(e)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", htmlType)
	w.WriteHeader(e.Status)
	_, _ = w.Write(page)
}

func (v views) render(e entry) ([]byte, error) {
	d := document{Title: e.Title, Heading: e.heading, Kind: e.Kind, Lang: e.lang, Data: e.data}
	if d.Lang == "" {
		d.Lang = "en"
	}
	if e.body != "" {
		body, err := files.ReadFile(e.body)
		if err != nil {
			return nil, fmt.Errorf("read the text of %s: %w", e.Path, err)
		}
		d.Body = template.HTML(body)
	}
	var page bytes.Buffer
	if err := v[e.view].Execute(&page, d); err != nil {
		return nil, fmt.Errorf("render %s: %w", e.Path, err)
	}
	return page.Bytes(), nil
}
