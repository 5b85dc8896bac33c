package testsite

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// contentFixtures are about what a document is made of, and how much of it.
func contentFixtures() []fixture {
	return []fixture{
		{path: "/t/text-kinds", id: "B55", shows: "text that is seen among text that is not"},
		{path: "/t/charset/shift_jis", id: "B56", shows: "Japanese in Shift_JIS", serve: file("pages/t/charset/shift_jis.html", "text/html; charset=shift_jis")},
		{path: "/t/charset/latin1", shows: "ISO-8859-1 that does not say so", serve: file("pages/t/charset/latin1.html", "text/html")},
		{path: "/t/charset/utf8bom", shows: "UTF-8 told by its byte order mark only", serve: serveBOM},
		{path: "/t/charset/gzip", shows: "gzip as Content-Encoding", serve: serveGzip},
		{path: "/t/raw-header", shows: "a header X-Raw of bytes that are no UTF-8", serve: serveRawHeader},
		{path: "/t/json", shows: "application/json", serve: func(w http.ResponseWriter, _ *http.Request) error {
			answer(w, "application/json", `{"name":"swarm","list":[1,2,3],"text":"<b>ü 你好</b>"}`)
			return nil
		}},
		{path: "/t/plain", shows: "text/plain", serve: func(w http.ResponseWriter, _ *http.Request) error {
			answer(w, "text/plain; charset=utf-8", "first line\n<b>not bold</b>\nlast line, ü 你好\n")
			return nil
		}},
		{path: "/t/svg", shows: "image/svg+xml", serve: func(w http.ResponseWriter, _ *http.Request) error {
			answer(w, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><title>svg</title><circle id="c" cx="50" cy="50" r="40" fill="green"/><text x="100" y="55">svg text</text></svg>`)
			return nil
		}},
		{path: "/t/pdf", shows: "application/pdf, one page", serve: servePDF},
		{path: "/t/img.png", shows: "image/png, 64×48", serve: func(w http.ResponseWriter, _ *http.Request) error {
			answer(w, "image/png", drawPNG("img", 64, 48))
			return nil
		}},
		{path: "/t/big", shows: "?nodes=5000 elements in the body", serve: serveBig},
		{path: "/t/rows", shows: "a table of ?n=1000 rows #r1…, each with a link, a button and a box to tick", serve: serveRows},
		{path: "/t/text", shows: "?mb=5 times 2^20 characters of text in #text", serve: serveText},
	}
}

func serveBOM(w http.ResponseWriter, _ *http.Request) error {
	answer(w, "text/html", "\ufeff<!doctype html>\n<title>utf8bom</title><p id=p>Grüße, 你好</p>\n")
	return nil
}

func serveGzip(w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte("<!doctype html>\n<meta charset=utf-8>\n<title>gzip</title><p id=p>Grüße, 你好</p>\n"))
	_ = z.Close() // a bytes.Buffer takes everything
	w.Header().Set("Content-Encoding", "gzip")
	answer(w, htmlType, b.Bytes())
	return nil
}

func serveRawHeader(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("X-Raw", "caf\xe9 \xff")
	answer(w, htmlType, "<!doctype html>\n<meta charset=utf-8>\n<title>raw-header</title><p id=p>raw</p>\n")
	return nil
}

// servePDF sends a PDF of one page that says "tiny".
func servePDF(w http.ResponseWriter, _ *http.Request) error {
	const text = "BT /F1 24 Tf 20 40 Td (tiny) Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	var b, table strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, b.Len())
	answer(w, "application/pdf", b.String())
	return nil
}

func serveColour(w http.ResponseWriter, r *http.Request) error {
	hex := r.PathValue("hex")
	if !regexp.MustCompile(`^[0-9a-f]{6}$`).MatchString(hex) {
		return fmt.Errorf("%q is not six hexadecimal digits", hex)
	}
	answer(w, htmlType, fmt.Sprintf("<!doctype html>\n<meta charset=utf-8>\n<title>%s</title><style>html,#box{background:#%s}body{margin:0}#box{width:100px;height:50px}#tall{height:2000px}</style><div id=box></div><div id=tall></div>\n", hex, hex))
	return nil
}

func serveBig(w http.ResponseWriter, r *http.Request) error {
	nodes, err := number(r, "nodes", 5000, 1_000_000)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("<!doctype html>\n<meta charset=utf-8>\n<title>big</title>\n<body>\n")
	const group = 5 // elements in a row
	for i := range nodes / group {
		fmt.Fprintf(&b, "<div class=row><span>row %d</span> <a href=\"#r%d\">link</a> <b>bold <i>and</i></b></div>\n", i, i)
	}
	for i := range nodes % group {
		fmt.Fprintf(&b, "<p>rest %d</p>\n", i)
	}
	answer(w, htmlType, b.String())
	return nil
}

func serveRows(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "n", 1000, 200_000)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("<!doctype html>\n<meta charset=utf-8>\n<title>rows</title>\n<table>\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "<tr id=r%d><td>row %d<td><a href=\"/t/n/%d\">open</a><td><button onclick=\"window.last=%d\">take</button><td><input type=checkbox aria-label=\"row %d\">\n", i, i, i, i, i)
	}
	b.WriteString("</table>\n")
	answer(w, htmlType, b.String())
	return nil
}

func serveText(w http.ResponseWriter, r *http.Request) error {
	mb, err := number(r, "mb", 5, 100)
	if err != nil {
		return err
	}
	const line = "The quick brown fox jumps over the lazy dog, and on it goes ....\n"
	text := strings.Repeat(line, mb<<20/len(line)+1)[:mb<<20]
	answer(w, htmlType, "<!doctype html>\n<meta charset=utf-8>\n<title>text</title><div id=text style=\"white-space:pre-line\">"+text+"</div>\n")
	return nil
}

// withPolicy serves with a Content-Security-Policy.
func withPolicy(policy string, serve serveFunc) serveFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Security-Policy", policy)
		return serve(w, r)
	}
}
