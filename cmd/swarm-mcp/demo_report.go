package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/internal/testsite"
)

// results is what a crawl came to.
type results struct {
	Site    string
	Elapsed time.Duration
	Records []record
	Tabs    []tabResult

	// Read pages came with a status below 400, HTTPErrors with one above;
	// Failures are visits on which a tool failed.
	Read, HTTPErrors, Downloads, Failures int
	// Unexpected says what of the built-in site is not as it should be.
	Unexpected []string
}

// tabResult is one visitor's share.
type tabResult struct {
	Slot, Pages int
	Busy        time.Duration
}

// collect sums up what the visitors noted.
func collect(visitors []*visitor, elapsed time.Duration) results {
	r := results{Elapsed: elapsed}
	for _, v := range visitors {
		r.Tabs = append(r.Tabs, tabResult{v.slot, len(v.records), v.busy})
		r.Records = append(r.Records, v.records...)
	}
	for _, rec := range r.Records {
		switch {
		case rec.Error != "":
			r.Failures++
		case rec.Status >= 400:
			r.HTTPErrors++
		case rec.Download != "":
			r.Downloads++
		default:
			r.Read++
		}
	}
	return r
}

// compare notes which of the site's pages were not found or not as they are.
func (r *results) compare(site string, pages []testsite.Page) {
	found := map[string]record{}
	for _, rec := range r.Records {
		found[strings.TrimPrefix(rec.URL, site)] = rec
	}
	for _, page := range pages {
		rec, ok := found[page.Path]
		switch {
		case !ok:
			r.Unexpected = append(r.Unexpected, page.Path+" was not found")
		case rec.Error != "": // counted already
		case rec.Status != page.Status:
			r.Unexpected = append(r.Unexpected, fmt.Sprintf("%s has status %d instead of %d", page.Path, rec.Status, page.Status))
		case rec.Title != page.Title:
			r.Unexpected = append(r.Unexpected, fmt.Sprintf("%s has title %q instead of %q", page.Path, rec.Title, page.Title))
		}
	}
}

// perSecond is the pages a second.
func (r results) perSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(len(r.Records)) / r.Elapsed.Seconds()
}

// share is how much of the time the tab worked, in percent.
func (r results) share(t tabResult) float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return 100 * t.Busy.Seconds() / r.Elapsed.Seconds()
}

// write leaves pages.jsonl and report.md in dir and prints the table.
func (r results) write(dir string, out io.Writer) error {
	if err := writeFile(filepath.Join(dir, "pages.jsonl"), r.writeJSONLines); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "report.md"), r.writeMarkdown); err != nil {
		return err
	}
	if err := r.printTable(out); err != nil {
		return fmt.Errorf("print the results: %w", err)
	}
	_, err := fmt.Fprintf(out, "\nsee %s, pages.jsonl and screenshots beside it\n", filepath.Join(dir, "report.md"))
	return err
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	w := bufio.NewWriter(file)
	if err := errors.Join(write(w), w.Flush(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (r results) writeJSONLines(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, rec := range r.Records {
		if err := enc.Encode(rec); err != nil {
			return err
		}
	}
	return nil
}

// printTable writes the sums and each tab's share.
func (r results) printTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "pages\t%d\n", len(r.Records))
	fmt.Fprintf(w, "pages/s\t%.1f\n", r.perSecond())
	fmt.Fprintf(w, "time\t%.1f s\n", r.Elapsed.Seconds())
	fmt.Fprintf(w, "http errors\t%d\n", r.HTTPErrors)
	fmt.Fprintf(w, "downloads\t%d\n", r.Downloads)
	fmt.Fprintf(w, "failures\t%d\n\n", r.Failures)
	fmt.Fprintln(w, "tab\tpages\tbusy\tshare")
	for _, t := range r.Tabs {
		fmt.Fprintf(w, "%d\t%d\t%.1f s\t%.0f %%\n", t.Slot, t.Pages, t.Busy.Seconds(), r.share(t))
	}
	if r.Failures+len(r.Unexpected) > 0 {
		fmt.Fprintln(w)
	}
	for _, rec := range r.Records {
		if rec.Error != "" {
			fmt.Fprintf(w, "failed: %s: %s\n", rec.URL, rec.Error)
		}
	}
	for _, what := range r.Unexpected {
		fmt.Fprintf(w, "unexpected: %s\n", what)
	}
	return w.Flush()
}

// writeMarkdown writes the same, and all pages, as a page to read.
func (r results) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# Crawl of %s\n\n", r.Site)
	fmt.Fprintf(w, "%d pages in %.1f s (%.1f a second) through %d tabs; %d HTTP errors, %d downloads, %d failures.\n\n",
		len(r.Records), r.Elapsed.Seconds(), r.perSecond(), len(r.Tabs), r.HTTPErrors, r.Downloads, r.Failures)
	fmt.Fprint(w, "| tab | pages | busy | share |\n| ---: | ---: | ---: | ---: |\n")
	for _, t := range r.Tabs {
		fmt.Fprintf(w, "| %d | %d | %.1f s | %.0f %% |\n", t.Slot, t.Pages, t.Busy.Seconds(), r.share(t))
	}
	fmt.Fprint(w, "\n## Pages\n\n| page | status | ms | words | links | |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, rec := range r.Records {
		title, note := rec.Title, rec.Error
		if title == "" {
			title = rec.URL
		}
		switch {
		case rec.Screenshot != "":
			note = fmt.Sprintf("[screenshot](%s)", rec.Screenshot)
		case rec.Download != "":
			note = "download " + rec.Download
		}
		fmt.Fprintf(w, "| [%s](<%s>) | %d | %d | %d | %d | %s |\n",
			cell(title), rec.URL, rec.Status, rec.MS, rec.Words, rec.Links, cellNote(rec, note))
	}
	return nil
}

// cell makes text safe for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "[", `\[`, "]", `\]`, "<", "&lt;").Replace(text)
}

// cellNote is a cell, except that our own link to a screenshot stays one.
func cellNote(rec record, note string) string {
	if rec.Screenshot != "" {
		return note
	}
	return cell(note)
}
