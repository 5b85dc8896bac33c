package frames

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/require"
)

// FuzzAnyOrder plays two real logs mixed into one, with lines dropped, repeated, moved by a few places or anywhere, and says of sessions now and
// then that they are over. The ids of the logs coincide, so that what one says of a frame contradicts the other.
func FuzzAnyOrder(f *testing.F) {
	for i := range uint64(50) {
		f.Add(i, uint8(i), uint8(i*7))
	}
	files := logFiles(f)
	var logs [][]line
	for _, file := range files {
		logs = append(logs, readLog(f, file))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b uint8) {
		rnd := rand.New(rand.NewPCG(seed, uint64(a)<<8|uint64(b)))
		log := bend(rnd, logs[int(a)%len(logs)], logs[int(b)%len(logs)])
		r := newTab()
		for i, l := range log {
			play(t, r, l)
			switch rnd.IntN(200) {
			case 0:
				r.Detach(target.SessionID(fmt.Sprintf("S%d", 2+rnd.IntN(4))))
			case 1:
				r.Attach("S1", "F1")
			}
			checkInvariants(t, r, fmt.Sprintf("line %d, %s %s", i, l.Session, l.Method))
		}
		r.Detach("S1")
		require.Empty(t, r.Frames())
		require.Empty(t, r.sessions, "no session outlives the tab's")
	})
}

func bend(rnd *rand.Rand, a, b []line) []line {
	var out []line
	for len(a)+len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && rnd.IntN(3) == 0 {
			from = &b
		}
		l := (*from)[0]
		*from = (*from)[1:]
		for range []int{1, 1, 1, 1, 1, 1, 0, 2}[rnd.IntN(8)] {
			out = append(out, l)
		}
	}
	for range len(out) / 4 {
		i := rnd.IntN(len(out))
		j := min(len(out)-1, i+rnd.IntN(8))
		if rnd.IntN(4) == 0 {
			j = rnd.IntN(len(out))
		}
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// FuzzParams feeds any bytes as the parameters of each method.
func FuzzParams(f *testing.F) {
	seen := make(map[string]bool)
	for _, file := range logFiles(f) {
		for _, l := range readLog(f, file) {
			if l.Method != "" && !seen[l.Method] {
				seen[l.Method] = true
				f.Add(l.Method, []byte(l.Params))
				f.Add(l.Method, []byte(`{}`))
				f.Add(l.Method, []byte(`null`))
				f.Add(l.Method, []byte(nil))
			}
		}
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		r := newTab()
		r.Apply("S1", method, params)
		r.Apply("S1", "Page.frameAttached", []byte(`{"frameId":"F2","parentFrameId":"F1"}`))
		r.Apply("S1", method, params)
		checkInvariants(t, r, method)
	})
}
