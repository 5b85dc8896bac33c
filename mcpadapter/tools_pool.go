package mcpadapter

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

const poolGroup = "Pool tools"

type tabArg struct {
	TabID string `json:"tabId" jsonschema:"Tab id from navigate"`
}

type elementArgs struct {
	tabArg
	Selector string `json:"selector" jsonschema:"CSS; A >>> B looks below A through shadow roots; text=Sign in; role=button[name=\"Save\"]; label=Email; xpath=//a"`
	FrameID  string `json:"frame_id,omitempty" jsonschema:"Frame to look in; the main frame when absent"`
}

// The longest timeout keeps the promise that every call ends.
type timeoutArg struct {
	Timeout int `json:"timeout,omitempty" jsonschema:"Milliseconds,default=30000,minimum=1,maximum=600000"`
}

// within bounds ctx by a timeout argument; 0 leaves it to the library.
func within(ctx context.Context, milliseconds int) (context.Context, context.CancelFunc) {
	if milliseconds == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(milliseconds)*time.Millisecond)
}

type done struct {
	Success bool `json:"success"`
}

type doneOnTab struct {
	done
	dialogReport
}

func poolTools() []tool {
	return []tool{
		declare(info{
			name: "get_pool_status", group: poolGroup, title: "Pool status",
			doc:           "How many tabs there are, how many are free to lease and how many are leased.",
			hints:         hints{readOnly: true, closedWorld: true},
			exampleArgs:   `{}`,
			exampleResult: `{"total":5,"idle":3,"busy":2}`,
		}, getPoolStatus),
		declare(info{
			name: "navigate", group: poolGroup, title: "Open a page",
			doc:           "Opens a URL. Without tabId it leases an idle tab (waiting for one if all are busy) and returns its tabId; with tabId it goes on in that tab. Call it several times at once to work on pages in parallel. A failed navigation gives a new lease back unless the error names its tabId. http_status is there when it is 400 or more; download when the URL was a file, not a page.",
			exampleArgs:   `{"url":"https://example.com"}`,
			exampleResult: `{"tabId":"tab-1","url":"https://example.com/","title":"Example Domain"}`,
		}, navigate),
		declare(info{
			name: "get_content", group: poolGroup, title: "Read the page",
			doc:           "The page's, or one element's, content: rendered text, HTML, or Markdown with links. Long content is cut: truncated is true and the rest is at offset=next_offset.",
			hints:         hints{readOnly: true},
			exampleArgs:   `{"tabId":"tab-1","type":"markdown"}`,
			exampleResult: `{"content":"# Example Domain\n\n[More](https://www.iana.org/)"}`,
		}, getContent),
		declare(info{
			name: "screenshot", group: poolGroup, title: "Screenshot",
			doc:           "A picture of the viewport, the whole page or one element. To read text, get_content is cheaper.",
			hints:         hints{readOnly: true},
			exampleArgs:   `{"tabId":"tab-1","fullPage":true}`,
			exampleResult: `{"mime_type":"image/png","width":1280,"height":2400}`,
		}, screenshot),
		declare(info{
			name: "click", group: poolGroup, title: "Click",
			doc:           "Clicks an element with the real mouse, after scrolling to it and waiting until it is visible, enabled, steady and not covered. Tabs it opened are in opened and are yours; a dialog it raised is in dialog, already answered.",
			hints:         hints{destructive: true},
			exampleArgs:   `{"tabId":"tab-1","selector":"role=button[name=\"Save\"]"}`,
			exampleResult: `{"success":true,"opened":["tab-9"]}`,
		}, click),
		declare(info{
			name: "type", group: poolGroup, title: "Type text",
			doc:           "Types text with real key events at the end of a field or editable element. A newline is Enter in a one-line field. value is there only when the field ended up with something else than asked (mask, maxlength).",
			exampleArgs:   `{"tabId":"tab-1","selector":"label=Email","text":"ann@example.com","clear":true}`,
			exampleResult: `{"success":true}`,
		}, typeText),
		declare(info{
			name: "evaluate", group: poolGroup, title: "Run JavaScript",
			doc:           "Runs JavaScript in the page: an expression, statements (the last value or return counts) or a function, which is called. await works and promises are awaited. Prefer one script that gathers everything over many small calls, and return only what you need.",
			hints:         hints{destructive: true},
			exampleArgs:   `{"tabId":"tab-1","script":"[...document.links].map(a => a.href)"}`,
			exampleResult: `{"result":["https://www.iana.org/"]}`,
		}, evaluate),
		declare(info{
			name: "wait_for_selector", group: poolGroup, title: "Wait for an element",
			doc:           "Waits until an element is there (attached), visible, hidden or gone (detached). Not needed before click and type, which wait by themselves.",
			hints:         hints{readOnly: true},
			exampleArgs:   `{"tabId":"tab-1","selector":".results","state":"visible"}`,
			exampleResult: `{"success":true}`,
		}, waitForSelector),
		declare(info{
			name: "release_tab", group: poolGroup, title: "Release a tab",
			doc:           "Gives a tab back to the pool. Its page, cookies and storage are thrown away and its id is never valid again.",
			hints:         hints{closedWorld: true},
			exampleArgs:   `{"tabId":"tab-1"}`,
			exampleResult: `{"success":true}`,
		}, releaseTab),
	}
}

func getPoolStatus(_ context.Context, c *call, _ struct{}) (swarm.Status, error) {
	return c.server.manager.Status(), nil
}

type navigateArgs struct {
	URL string `json:"url" jsonschema:"Absolute URL,minLength=1"`
	swarm.GotoOptions
	TabID   string `json:"tabId,omitempty" jsonschema:"A leased tab to go on in; a new lease when absent,minLength=1"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"Milliseconds for the navigation itself (normally 30000),minimum=1,maximum=600000"`
}

type navigateResult struct {
	TabID      string          `json:"tabId" jsonschema:"The leased tab"`
	URL        string          `json:"url" jsonschema:"The page's URL, after redirects"`
	Title      string          `json:"title"`
	HTTPStatus int             `json:"http_status,omitempty" jsonschema:"Only when 400 or more, or 204"`
	Download   *swarm.Download `json:"download,omitempty" jsonschema:"The URL was a file; the page is still the one before"`
	dialogReport
}

func navigate(ctx context.Context, c *call, in navigateArgs) (out navigateResult, err error) {
	if in.TabID != "" {
		tab, err := c.open(in.TabID)
		if err != nil {
			return out, err
		}
		return goTo(ctx, tab, in)
	}
	if err := swarm.CheckURL(in.URL); err != nil {
		return out, err // before a lease is waited for
	}
	tab, err := c.server.manager.Lease(ctx, &swarm.LeaseOptions{Owner: c.owner})
	if err != nil {
		return out, err
	}
	c.tab = tab
	keep := false
	defer func() { // in a defer, so that a panic does not keep the lease either
		if !keep {
			tab.Release()
		}
	}()
	out, err = goTo(ctx, tab, in)
	if err == nil {
		// A caller who has gone will never learn the id.
		err = ctx.Err()
	}
	if keep = err == nil || documentArrived(err); !keep {
		err = withoutTab(err)
	}
	return out, err
}

func goTo(ctx context.Context, tab *swarm.Tab, in navigateArgs) (navigateResult, error) {
	ctx, cancel := within(ctx, in.Timeout)
	defer cancel()
	nav, err := tab.Goto(ctx, in.URL, &in.GotoOptions)
	if err != nil {
		return navigateResult{}, err
	}
	out := navigateResult{
		TabID:    tab.ID(),
		URL:      clip(nav.URL, maxErrorText),
		Title:    clip(nav.Title, maxErrorText),
		Download: nav.Download,
	}
	if nav.HTTPStatus >= 400 || nav.HTTPStatus == http.StatusNoContent {
		out.HTTPStatus = nav.HTTPStatus
	}
	return out, nil
}

// documentArrived reports whether a navigation ran out of time only after its
// document was there: then the page can be used. Goto sets the URL of such a
// timeout to that of the document.
func documentArrived(err error) bool {
	var e *swarm.Error
	return errors.As(err, &e) && e.Type == swarm.TimeoutError && e.URL != ""
}

// withoutTab is the error of a navigation whose lease was given back: it must
// not name a tab that is no longer there.
func withoutTab(err error) error {
	var e *swarm.Error
	if !errors.As(err, &e) {
		return err
	}
	bare := *e
	bare.TabID, bare.FrameID = "", ""
	return &bare
}

type getContentArgs struct {
	tabArg
	swarm.ContentOptions
	MaxChars int `json:"max_chars,omitempty" jsonschema:"Most characters to return,minimum=1"`
	Offset   int `json:"offset,omitempty" jsonschema:"Character to begin at,minimum=0"`
}

type getContentResult struct {
	Content string `json:"content"`
	cutReport
	dialogReport
}

func getContent(ctx context.Context, c *call, in getContentArgs) (out getContentResult, err error) {
	tab, err := c.open(in.TabID)
	if err != nil {
		return out, err
	}
	content, err := tab.Content(ctx, &in.ContentOptions)
	if err != nil {
		return out, err
	}
	out.Content, out.cutReport = cut(content, in.Offset, c.maxChars(in.MaxChars))
	return out, nil
}

// screenshotArgs have two spellings of two arguments: the tool is in two of
// the contract's documents.
type screenshotArgs struct {
	TabID  string `json:"tabId,omitempty" jsonschema:"Tab id from navigate; required (or page_id),minLength=1"`
	PageID string `json:"page_id,omitempty" jsonschema:"The same as tabId,minLength=1"`
	swarm.ScreenshotOptions
	FullPageToo bool `json:"full_page,omitempty" jsonschema:"The same as fullPage"`
}

type screenshotResult struct {
	Image       string  `json:"image,omitempty" jsonschema:"The picture in base64, if the server was told so and tabId was given"`
	ImageBase64 string  `json:"image_base64,omitempty" jsonschema:"The same, if page_id was given"`
	MIMEType    string  `json:"mime_type"`
	Width       int     `json:"width" jsonschema:"In pixels"`
	Height      int     `json:"height" jsonschema:"In pixels"`
	Scale       float64 `json:"scale,omitempty" jsonschema:"Picture pixels a CSS pixel, only when the picture was made smaller"`
	dialogReport

	block *swarm.Image
}

func (r *screenshotResult) picture() *swarm.Image { return r.block }

func screenshot(ctx context.Context, c *call, in screenshotArgs) (out screenshotResult, err error) {
	id := in.TabID
	switch {
	case id == "" && in.PageID == "":
		return out, invalid(c.tool, nil, "%q is missing; it must be a string that is not empty", "tabId")
	case id == "":
		id = in.PageID
	case in.PageID != "" && in.PageID != id:
		return out, invalid(c.tool, nil, "%q and %q name different tabs; give one of them", "tabId", "page_id")
	}
	tab, err := c.open(id)
	if err != nil {
		return out, err
	}
	in.FullPage = in.FullPage || in.FullPageToo
	image, err := tab.Screenshot(ctx, &in.ScreenshotOptions)
	if err != nil {
		return out, err
	}
	out = screenshotResult{MIMEType: image.MIMEType, Width: image.Width, Height: image.Height}
	if image.Scale < 1 {
		out.Scale = image.Scale
	}
	switch {
	case c.server.screenshotAs != ScreenshotJSON:
		out.block = image
	case in.TabID != "":
		out.Image = base64.StdEncoding.EncodeToString(image.Data)
	default:
		out.ImageBase64 = base64.StdEncoding.EncodeToString(image.Data)
	}
	return out, nil
}

type clickArgs struct {
	elementArgs
	swarm.ClickOptions
}

type clickResult struct {
	done
	Opened []string      `json:"opened,omitempty" jsonschema:"Ids of the tabs it opened"`
	Dialog *raisedDialog `json:"dialog,omitempty" jsonschema:"The dialog it raised, already answered"`
	dialogReport
}

type raisedDialog struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func click(ctx context.Context, c *call, in clickArgs) (out clickResult, err error) {
	locator, err := c.locator(in.elementArgs)
	if err != nil {
		return out, err
	}
	result, err := locator.Click(ctx, &in.ClickOptions)
	if err != nil {
		return out, err
	}
	out.Success, out.Opened = true, result.Opened
	if len(result.Dialogs) > 0 {
		first := result.Dialogs[0]
		out.Dialog = &raisedDialog{Type: first.Type, Message: clip(first.Message, maxErrorText)}
	}
	if len(result.Dialogs) > 1 {
		out.report(result.Dialogs)
	}
	return out, nil
}

type typeArgs struct {
	elementArgs
	Text string `json:"text" jsonschema:"Text to type"`
	swarm.TypeOptions
}

type typeResult struct {
	done
	Value string `json:"value,omitempty" jsonschema:"What the field holds, only when that is not what was asked"`
	cutReport
	dialogReport
}

func typeText(ctx context.Context, c *call, in typeArgs) (out typeResult, err error) {
	locator, err := c.locator(in.elementArgs)
	if err != nil {
		return out, err
	}
	result, err := locator.Type(ctx, in.Text, &in.TypeOptions)
	if err != nil {
		return out, err
	}
	out.Success = true
	if !result.AsAsked {
		out.Value, out.cutReport = cut(result.Value, 0, c.server.maxChars)
	}
	return out, nil
}

type evaluateArgs struct {
	tabArg
	Script  string `json:"script" jsonschema:"JavaScript"`
	FrameID string `json:"frame_id,omitempty" jsonschema:"Frame to run in; the main frame when absent"`
	timeoutArg
}

type evaluateResult struct {
	Result json.RawMessage `json:"result" jsonschema:"The value as JSON. What JSON cannot hold is as DevTools prints it"`
	cutReport
	Note string `json:"note,omitempty" jsonschema:"What to do about a cut result"`
	dialogReport
}

func evaluate(ctx context.Context, c *call, in evaluateArgs) (out evaluateResult, err error) {
	frame, err := c.frame(in.TabID, in.FrameID)
	if err != nil {
		return out, err
	}
	ctx, cancel := within(ctx, in.Timeout)
	defer cancel()
	value, err := frame.Evaluate(ctx, in.Script)
	if err != nil {
		return out, err
	}
	out.Result, out.cutReport, err = cutJSON(value, c.server.maxChars)
	if out.Truncated {
		// There is no offset to read on from: a script that runs twice may
		// do twice what it does.
		out.Note = fmt.Sprintf("result is only the first %d of %d characters. The script has run; do not run it again if it changes anything. Return less: pick fields, count, or slice the list or string.", out.NextOffset, out.TotalChars)
	}
	return out, err
}

type waitForSelectorArgs struct {
	elementArgs
	swarm.WaitForOptions
	timeoutArg
}

func waitForSelector(ctx context.Context, c *call, in waitForSelectorArgs) (out doneOnTab, err error) {
	locator, err := c.locator(in.elementArgs)
	if err != nil {
		return out, err
	}
	ctx, cancel := within(ctx, in.Timeout)
	defer cancel()
	err = locator.WaitFor(ctx, &in.WaitForOptions)
	out.Success = err == nil
	return out, err
}

func releaseTab(_ context.Context, c *call, in tabArg) (out done, err error) {
	tab, err := c.open(in.TabID)
	if err != nil {
		return out, err
	}
	tab.Release()
	return done{Success: true}, nil
}
