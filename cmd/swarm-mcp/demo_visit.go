package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/cmd/swarm-mcp/internal/crawl"
)

const (
	// pagesPerLease is how often a visitor takes a clean tab.
	pagesPerLease = 8
	// pagesPerScreenshot is how often it takes a picture.
	pagesPerScreenshot = 10
)

// record is what a visit found: a line of pages.jsonl.
type record struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Status is the HTTP status, 0 when the page did not come.
	Status int `json:"status"`
	// MS is the time of all calls for the page.
	MS         int64  `json:"ms"`
	Tab        string `json:"tab"`
	Words      int    `json:"words"`
	Links      int    `json:"links"`
	Download   string `json:"download,omitempty"`
	Screenshot string `json:"screenshot,omitempty"`
	Error      string `json:"error,omitempty"`
}

// caller calls tools; *mcpClient is one.
type caller interface {
	call(ctx context.Context, tool string, args map[string]any, out any) (picture []byte, err error)
}

// visitor works through pages in one tab at a time. It belongs to one
// goroutine.
type visitor struct {
	tools       caller
	slot        int
	pace        *crawl.Pace
	screenshots string

	tabID   string // the leased tab, empty when there is none
	busy    time.Duration
	records []record
}

// visit reads the page and returns its links. What fails is noted, unless it
// ends the crawl.
func (v *visitor) visit(ctx context.Context, page crawl.Page) ([]string, error) {
	if v.pace != nil {
		if err := v.pace.Wait(ctx); err != nil {
			return nil, err
		}
	}
	r := record{URL: page.URL}
	began := time.Now()
	links, err := v.read(ctx, &r)
	took := time.Since(began)
	v.busy += took
	r.MS, r.Links = took.Milliseconds(), len(links)
	var failure *toolError
	if errors.As(err, &failure) && failure.Type != "BROWSER_UNAVAILABLE" && failure.Type != "CANCELLED" {
		r.Error = failure.Error()
		v.forget(failure)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	v.records = append(v.records, r)
	if len(v.records)%pagesPerLease == 0 {
		err = v.release(ctx)
	}
	return links, err
}

// read goes to r's page and fills r in.
func (v *visitor) read(ctx context.Context, r *record) (links []string, err error) {
	var at struct {
		TabID      string `json:"tabId"`
		Title      string `json:"title"`
		HTTPStatus int    `json:"http_status"`
		Download   *struct {
			Filename string `json:"filename"`
		} `json:"download"`
	}
	args := map[string]any{"url": r.URL}
	if v.tabID != "" {
		args["tabId"] = v.tabID
	}
	r.Tab = v.tabID
	if _, err := v.tools.call(ctx, "navigate", args, &at); err != nil {
		return nil, err
	}
	v.tabID, r.Tab = at.TabID, at.TabID
	r.Status = at.HTTPStatus
	if r.Status == 0 { // which navigate leaves out when all is well
		r.Status = http.StatusOK
	}
	if at.Download != nil {
		r.Download = at.Download.Filename
	}
	if at.Download != nil || r.Status == http.StatusNoContent {
		return nil, nil // the tab still shows the page before
	}
	r.Title = at.Title

	var text struct {
		Content string `json:"content"`
	}
	if _, err := v.tools.call(ctx, "get_content", map[string]any{"tabId": v.tabID, "type": "text"}, &text); err != nil {
		return nil, err
	}
	r.Words = len(strings.Fields(text.Content))
	var found struct {
		Result []string `json:"result"`
	}
	script := "Array.from(document.links, link => link.href)"
	if _, err := v.tools.call(ctx, "evaluate", map[string]any{"tabId": v.tabID, "script": script}, &found); err != nil {
		return nil, err
	}
	if len(v.records)%pagesPerScreenshot == 0 {
		err = v.takeScreenshot(ctx, r)
	}
	return found.Result, err
}

func (v *visitor) takeScreenshot(ctx context.Context, r *record) error {
	var about struct{}
	picture, err := v.tools.call(ctx, "screenshot", map[string]any{"tabId": v.tabID}, &about)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("tab%d-page%02d.png", v.slot, len(v.records)+1)
	if err := os.WriteFile(filepath.Join(v.screenshots, name), picture, 0o644); err != nil {
		return fmt.Errorf("save a screenshot: %w", err)
	}
	r.Screenshot = "screenshots/" + name
	return nil
}

// forget drops the tab if the failure says that it is gone.
func (v *visitor) forget(failure *toolError) {
	switch failure.Type {
	case "PAGE_NOT_FOUND", "TAB_CRASHED":
		v.tabID = ""
	}
	// A navigation that timed out keeps its new lease.
	if v.tabID == "" && failure.Type == "TIMEOUT_ERROR" {
		v.tabID = failure.TabID
	}
}

// release gives the tab back.
func (v *visitor) release(ctx context.Context) error {
	if v.tabID == "" {
		return nil
	}
	var done struct {
		Success bool `json:"success"`
	}
	_, err := v.tools.call(ctx, "release_tab", map[string]any{"tabId": v.tabID}, &done)
	v.tabID = ""
	if errors.As(err, new(*toolError)) {
		return nil // it was gone already
	}
	return err
}
