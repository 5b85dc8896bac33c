package testsite

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
)

// hash is a number that belongs to a name.
func hash(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()
}

// addImages serves /img/NAME.svg and /img/NAME.png, drawn from the name.
func addImages(mux *http.ServeMux) {
	mux.HandleFunc("GET /img/{file}", func(w http.ResponseWriter, r *http.Request) {
		file := r.PathValue("file")
		w.Header().Set("Cache-Control", "max-age=3600")
		if name, ok := strings.CutSuffix(file, ".svg"); ok {
			answer(w, "image/svg+xml", drawSVG(name))
		} else if name, ok := strings.CutSuffix(file, ".png"); ok {
			answer(w, "image/png", drawPNG(name, 240, 180))
		} else {
			http.NotFound(w, r)
		}
	})
}

func drawSVG(name string) string {
	sum := hash(name)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="180" viewBox="0 0 240 180">`)
	fmt.Fprintf(&b, `<rect width="240" height="180" fill="hsl(%d 35%% 88%%)"/>`, sum%360)
	for i := range uint32(5) {
		part := hash(fmt.Sprint(i, name))
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="hsl(%d 45%% 55%%)" fill-opacity=".55"/>`,
			30+part%180, 30+part/180%120, 14+part%40, (sum+i*37)%360)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

func drawPNG(name string, width, height int) []byte {
	sum := hash(name)
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			wave := uint8(((x*int(3+sum%5) + y*int(2+sum/8%5)) / 6) & 63)
			picture.SetRGBA(x, y, color.RGBA{
				uint8(sum>>16)%96 + 96 + wave, uint8(sum>>8)%96 + 96 + wave/2, uint8(sum)%96 + 96, 255,
			})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, picture) // a bytes.Buffer takes everything
	return b.Bytes()
}
