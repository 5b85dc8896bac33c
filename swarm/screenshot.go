package swarm

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // The formats whose size is read.
	_ "image/png"
	"math"

	protocdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	_ "golang.org/x/image/webp"

	"github.com/puppeteer-swarm/swarm-mcp/swarm/internal/engine"
)

// defaultQuality is that of jpeg and webp when none is asked for.
const defaultQuality = 80

// Screenshot takes a picture of the viewport, of the whole page or of one
// element. The whole page is taken without resizing the page or scrolling it;
// a picture with a side above MaxImageSide is scaled down to it.
//
// Errors: those of Locator when opts has a selector.
func (t *Tab) Screenshot(ctx context.Context, opts *ScreenshotOptions) (*Image, error) {
	if opts == nil {
		opts = &ScreenshotOptions{}
	}
	l := t.Locator(opts.Selector)
	if opts.Selector == "" {
		l.err = nil
	}
	const waiting = "the picture to be taken"
	params, err := captureParams(opts)
	if err != nil {
		return nil, l.translate(err, "screenshot", waiting)
	}
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return nil, l.translate(err, "screenshot", waiting)
	}
	defer done()
	shown, err := l.capture(ctx, params, opts)
	return shown, l.translate(err, "screenshot", waiting)
}

func captureParams(opts *ScreenshotOptions) (page.CaptureScreenshotParams, error) {
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(opts.Format)}
	bad := ""
	switch {
	case opts.Format == "":
		params.Format = page.CaptureScreenshotFormatPng
	case opts.Format != PNG && opts.Format != JPEG && opts.Format != WebP:
		bad = fmt.Sprintf("format is %q; it must be png, jpeg or webp", opts.Format)
	}
	switch {
	case opts.Quality < 0 || opts.Quality > 100:
		bad = fmt.Sprintf("quality is %d; it must be 1 to 100", opts.Quality)
	case opts.FullPage && opts.Selector != "":
		bad = "fullPage and selector exclude each other"
	}
	if bad != "" {
		return params, &Error{Type: InvalidArgument, Message: bad}
	}
	if params.Format != page.CaptureScreenshotFormatPng {
		quality := int64(opts.Quality)
		if quality == 0 {
			quality = defaultQuality
		}
		params.Quality = &quality
	}
	return params, nil
}

func (l Locator) capture(ctx context.Context, params page.CaptureScreenshotParams, opts *ScreenshotOptions) (*Image, error) {
	shown := &Image{MIMEType: "image/" + string(params.Format), Scale: 1}
	if opts.FullPage || opts.Selector != "" {
		box, err := l.box(ctx, opts.FullPage)
		if err != nil {
			return nil, err
		}
		yes := true
		longest := math.Max(box.Width, box.Height) * box.Scale
		if longest > MaxImageSide {
			shown.Scale = MaxImageSide / longest
		}
		params.CaptureBeyondViewport = &yes
		params.Clip = &page.Viewport{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height, Scale: shown.Scale}
	}
	shot, err := protocdp.Call(ctx, l.frame.tab.session, page.CaptureScreenshot, params)
	if err != nil {
		return nil, fmt.Errorf("capture the screen: %w", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, fmt.Errorf("read the picture's size: %w", err)
	}
	shown.Data, shown.Width, shown.Height = shot.Data, size.Width, size.Height
	return shown, nil
}

// box is what to take a picture of, in page coordinates.
func (l Locator) box(ctx context.Context, fullPage bool) (engine.Box, error) {
	if fullPage {
		return call[engine.Box](ctx, l.frame, "pageBox", nil)
	}
	return attempt[engine.Box](ctx, l, "elementBox", func(t engine.Target) any { return t })
}
