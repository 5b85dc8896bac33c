package swarm_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puppeteer-swarm/swarm-mcp/swarm"
)

// shoot takes a picture, and sees to it that it is what it says it is.
func shoot(t *testing.T, tab *swarm.Tab, opts *swarm.ScreenshotOptions) (image.Image, *swarm.Image) {
	t.Helper()
	shot, err := tab.Screenshot(within(t, 20*time.Second), opts)
	require.NoError(t, err)
	picture, format, err := image.Decode(bytes.NewReader(shot.Data))
	require.NoError(t, err)
	assert.Equal(t, "image/"+format, shot.MIMEType)
	assert.Equal(t, picture.Bounds().Size(), image.Pt(shot.Width, shot.Height))
	return picture, shot
}

// assertColour compares one pixel, roughly: some formats lose a little.
func assertColour(t *testing.T, picture image.Image, x, y int, want uint32) {
	t.Helper()
	got := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
	near := func(a uint8, b uint32) bool { return math.Abs(float64(a)-float64(b&0xff)) < 8 }
	assert.True(t, near(got.R, want>>16) && near(got.G, want>>8) && near(got.B, want), "the pixel at %d,%d is %v, not %06x", x, y, got, want)
}

func TestScreenshotsOnBoth(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/colour/3f6b57")
	for _, format := range []swarm.ImageFormat{"", swarm.PNG, swarm.JPEG, swarm.WebP} {
		for _, c := range []struct {
			opts          swarm.ScreenshotOptions
			width, height int
		}{
			{swarm.ScreenshotOptions{}, 1280, 720}, {swarm.ScreenshotOptions{FullPage: true}, 1280, 2050}, {swarm.ScreenshotOptions{Selector: "#box"}, 100, 50},
		} {
			c.opts.Format = format
			picture, shot := shoot(t, tab, &c.opts)
			assert.Equal(t, []int{c.width, c.height}, []int{shot.Width, shot.Height}, "%+v", c.opts)
			assert.Equal(t, 1.0, shot.Scale)
			assertColour(t, picture, 5, 5, 0x3f6b57)
			assertColour(t, picture, c.width-5, c.height-5, 0x3f6b57)
		}
	}
	_, err := tab.Evaluate(t.Context(), "document.body.append(new Image(1, 1))")
	require.NoError(t, err)
	_, small := shoot(t, tab, &swarm.ScreenshotOptions{Format: swarm.JPEG, Quality: 1})
	_, large := shoot(t, tab, &swarm.ScreenshotOptions{Format: swarm.JPEG, Quality: 100})
	assert.LessOrEqual(t, len(small.Data), len(large.Data))
}

// TestParallelScreenshotsShowTheirOwnTabOnBoth is B48.
func TestParallelScreenshotsShowTheirOwnTabOnBoth(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rgb := uint32(0x204060 + i*0x301010)
			tab := visit(t, fmt.Sprintf("/t/colour/%06x", rgb))
			for range 5 {
				for _, opts := range []swarm.ScreenshotOptions{{}, {FullPage: true}, {Selector: "#box"}} {
					picture, _ := shoot(t, tab, &opts)
					assertColour(t, picture, 10, 10, rgb)
				}
			}
		})
	}
}

func TestAPictureOfALongPageIsScaledDown(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/tall")
	high := eval(t, tab, "document.documentElement.scrollHeight")
	_, shot := shoot(t, tab, &swarm.ScreenshotOptions{FullPage: true})
	assert.LessOrEqual(t, max(shot.Width, shot.Height), swarm.MaxImageSide)
	assert.Greater(t, shot.Height, swarm.MaxImageSide-10)
	assert.Equal(t, high, fmt.Sprint(math.Round(float64(shot.Height)/shot.Scale/100)*100))
	eval(t, tab, "document.body.innerHTML = '<div id=wide style=\"width:20000px;height:40px;background:#ff0000\"></div>'")
	picture, shot := shoot(t, tab, &swarm.ScreenshotOptions{Selector: "#wide", Format: swarm.JPEG})
	assert.LessOrEqual(t, shot.Width, swarm.MaxImageSide)
	assert.InDelta(t, 0.4, shot.Scale, 0.001)
	assertColour(t, picture, shot.Width-20, shot.Height/2, 0xff0000)
}

// TestAFullPagePictureChangesNothing is B53.
func TestAFullPagePictureChangesNothing(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/lazy")
	eval(t, tab, "scrollTo(0, 700)")
	const look = "[scrollX, scrollY, innerWidth, innerHeight, document.querySelector('#section').offsetHeight, window.resizes]"
	before := eval(t, tab, look)
	picture, shot := shoot(t, tab, &swarm.ScreenshotOptions{FullPage: true})
	assert.Equal(t, before, eval(t, tab, look))
	assert.Greater(t, shot.Height, 5700)
	header := color.RGBAModel.Convert(color.RGBA{0xcc, 0xdd, 0xee, 0xff})
	rows := 0
	for y := range shot.Height {
		if picture.At(shot.Width-3, y) == header || color.RGBAModel.Convert(picture.At(shot.Width-3, y)) == header {
			rows++
		}
	}
	assert.InDelta(t, 40, rows, 1, "the fixed header is there once")
	_, err := tab.Screenshot(within(t, time.Second), &swarm.ScreenshotOptions{Selector: "#nope"})
	fails(t, err, swarm.SelectorNotFound)
	assert.Equal(t, before, eval(t, tab, look), "nor does one that fails")
}

func TestPicturesOfElements(t *testing.T) {
	t.Parallel()
	const box = `background:#00ff00;width:50px;height:40px`
	for _, c := range []struct {
		name, page    string
		width, height int
	}{
		{"far down the page", `<div style="height:3000px"></div><div id=box style="` + box + `"></div><div style="height:3000px"></div>`, 50, 40},
		{"in a pane", `<div style="height:100px;overflow:auto"><div style="height:900px"></div><div id=box style="` + box + `"></div></div>`, 50, 40},
		{"zoomed", `<body style="zoom:1.5"><div style="height:30px"></div><div id=box style="` + box + `"></div>`, 75, 60},
		{"rotated", `<div id=box style="` + box + `;margin:60px;transform:rotate(90deg)"></div>`, 40, 50},
		{"fixed", `<div style="height:3000px"></div><div id=box style="` + box + `;position:fixed;bottom:0;right:0"></div>`, 50, 40},
		{"between two pixels", `<div id=box style="` + box + `;margin:0.4px;width:50.2px"></div>`, 50, 40},
		{"taller than the viewport", `<div id=box style="` + box + `;height:2000px"></div>`, 50, 2000},
		{"display:contents", `<div id=box style="display:contents"><div style="` + box + `"></div></div>`, 50, 40},
		{"in a shadow root", `<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode: 'open'}).innerHTML = '<div id=box style="` + box + `"></div>'</script>`, 50, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := show(t, "<!doctype html>"+c.page)
			eval(t, tab, "scrollTo(0, 100)")
			picture, shot := shoot(t, tab, &swarm.ScreenshotOptions{Selector: ">>> #box"})
			assert.InDelta(t, c.width, shot.Width, 1)
			assert.InDelta(t, c.height, shot.Height, 1)
			assertColour(t, picture, 3, 3, 0x00ff00)
			assertColour(t, picture, shot.Width-4, shot.Height-4, 0x00ff00)
		})
	}
}

func TestScreenshotsThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	tab := visit(t, "/t/hidden")
	for _, bad := range []swarm.ScreenshotOptions{{Format: "gif"}, {Quality: 101}, {Quality: -1}, {FullPage: true, Selector: "#show"}} {
		_, err := tab.Screenshot(t.Context(), &bad)
		fails(t, err, swarm.InvalidArgument)
	}
	for selector, reason := range map[string]string{"#display": "hidden", "#zero": "zero-size"} {
		_, err := tab.Screenshot(within(t, time.Second), &swarm.ScreenshotOptions{Selector: selector})
		e := fails(t, err, swarm.ElementNotInteractable)
		assert.Equal(t, reason, e.Reason)
		assert.Contains(t, e.Message, selector)
	}
}

func TestTheFullPageIsWhatScrolls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page          string
		width, height int
	}{
		"a pane of its own":       {`<!doctype html><style>html{overflow:hidden;height:100%}body{margin:0;height:100%;overflow:auto}</style><div style="height:3000px"></div>`, 1280, 720},
		"quirks":                  {`<div style="height:3000px;width:1500px"></div>`, 1508, 3016},
		"shorter than the window": {`<!doctype html><p>short`, 1280, 720},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, shot := shoot(t, show(t, c.page), &swarm.ScreenshotOptions{FullPage: true})
			assert.InDelta(t, c.width, shot.Width, 8)
			assert.InDelta(t, c.height, shot.Height, 8)
		})
	}
}
