package testsite

import (
	"fmt"
	"net/http"
	"time"
)

// docsEntries are the help pages; their texts are pages/docs/NAME.html.
func docsEntries() []entry {
	chapters := []link{
		{"/docs/", "Help"},
		{"/docs/ordering", "Ordering"},
		{"/docs/shipping", "Shipping"},
		{"/docs/returns", "Returns"},
		{"/docs/api", "The product API"},
		{"/docs/keys", "Keyboard shortcuts"},
	}
	var all []entry
	for _, c := range chapters {
		e := newEntry(c.Path, c.Text, "docs", "docs", chapters)
		e.body = "pages/docs/index.html"
		if c.Path != "/docs/" {
			e.body = "pages" + c.Path + ".html"
		}
		all = append(all, e)
	}
	return all
}

// appViews are the views of the page that draws itself by script; the script
// fetches what they show from /api/app/VIEW.
func appViews() []link {
	return []link{{"/app/", "Overview"}, {"/app/orders", "Orders"}, {"/app/stock", "Stock"}, {"/app/team", "Team"}}
}

// sectionEntries are the pages that there is one of.
func sectionEntries() []entry {
	all := []entry{
		newEntry("/about", "About us", "about", "about", nil),
		newEntry("/gallery/", "Gallery", "gallery", "gallery", products()[:6]),
		newEntry("/widgets/", "Widgets", "widgets", "widgets", nil),
		newEntry("/visit/", "Visit us", "frame", "visit", nil),
		newEntry("/visit/hours", "Opening hours", "frame", "hours", nil),
	}
	for _, v := range appViews() {
		all = append(all, newEntry(v.Path, v.Text, "app", "app", appViews()))
	}
	return all
}

// reportEntries are the slow pages, from 300 to 1500 ms, and the broken one.
func reportEntries() []entry {
	const count = 5
	type report struct {
		MS   int
		Path string
	}
	var reports []report
	for i := 1; i <= count; i++ {
		reports = append(reports, report{300 * i, fmt.Sprintf("/reports/%d", 2019+i)})
	}
	all := []entry{newEntry("/reports/", "Reports", "list", "reports", reports)}
	for i, r := range reports {
		e := newEntry(r.Path, fmt.Sprintf("Report of %d", 2020+i), "slow", "report", r)
		e.delay = time.Duration(r.MS) * time.Millisecond
		all = append(all, e)
	}
	broken := newEntry("/reports/2025", "Report of 2025", "broken", "error", "The year was too much for the printer.")
	broken.Status = http.StatusInternalServerError
	return append(all, broken)
}
