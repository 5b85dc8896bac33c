package testsite

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// get answers a GET of the handler without a network.
func get(t *testing.T, handler http.Handler, path string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:80"+path, nil))
	response := w.Result()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

// client follows no redirect and keeps no connection beyond the test.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestStartAnswersUnderBothNames(t *testing.T) {
	for name, start := range map[string]func() (*Site, error){"http": Start, "https": StartTLS} {
		t.Run(name, func(t *testing.T) {
			site, err := start()
			require.NoError(t, err)
			defer site.Close()
			assert.Regexp(t, `^`+name+`://127\.0\.0\.1:\d+$`, site.URL)
			assert.Regexp(t, `^`+name+`://localhost:\d+$`, site.OtherURL)
			for _, url := range []string{site.URL, site.OtherURL} {
				response, err := client(t).Get(url + "/t/n/7")
				require.NoError(t, err)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				response.Body.Close()
				assert.Contains(t, string(body), "<title>7</title>")
			}
		})
	}
}

func TestLocalhostIsNobodyElse(t *testing.T) {
	site, err := Start()
	require.NoError(t, err)
	defer site.Close()
	address := net.JoinHostPort("::1", site.URL[strings.LastIndex(site.URL, ":")+1:])
	if probe, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	} else {
		probe.Close()
	}
	response, err := client(t).Get("http://" + address + "/t/blank")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)
}

func TestATrustingClientIsRefusedTheCertificate(t *testing.T) {
	site, err := StartTLS()
	require.NoError(t, err)
	defer site.Close()
	_, err = http.Get(site.URL)
	var untrusted *tls.CertificateVerificationError
	assert.ErrorAs(t, err, &untrusted)
}

func TestCloseEndsWhatHangs(t *testing.T) {
	site, err := Start()
	require.NoError(t, err)
	c := client(t)
	ends := make(chan error)
	for _, path := range []string{"/t/hang", "/t/slow?ms=600000"} {
		go func() {
			response, err := c.Get(site.URL + path)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			ends <- err
		}()
	}
	// Only when both are being handled is there something to end.
	require.Eventually(t, func() bool { return countStacks("net/http.serverHandler") == 2 }, 10*time.Second, time.Millisecond)
	site.Close()
	assert.Zero(t, countStacks("net/http.serverHandler"), "a handler outlived Close")
	// What is left of their goroutines is the way from the last deferred call to the end.
	assert.Eventually(t, func() bool {
		return countStacks("net/http.(*conn)") == 0 && countStacks("net/http.(*Server)") == 0
	}, 10*time.Second, time.Millisecond, "a goroutine outlived Close")
	for range 2 {
		<-ends
	}
	site.Close()
}

// countStacks is how many goroutines have the function on their stack.
func countStacks(function string) int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, function+"(") || strings.Contains(stack, function+".") {
			n++
		}
	}
	return n
}

func TestSlowPagesEndWithTheirRequest(t *testing.T) {
	for _, path := range []string{"/t/hang", "/t/slow?ms=600000", "/t/b?ms=600000", "/reports/2024"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { _ = recover() }() // a hang ends as http.ErrAbortHandler
				Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
			}()
			synctest.Wait()
			select {
			case <-done:
				t.Errorf("%s did not wait", path)
			default:
			}
			cancel()
			synctest.Wait()
			select {
			case <-done:
			default:
				t.Errorf("%s waits on", path)
			}
			<-done
		})
	}
}

func TestSlowPagesTakeTheirTime(t *testing.T) {
	for path, want := range map[string]time.Duration{
		"/t/slow": 800 * time.Millisecond, "/t/slow?ms=20": 20 * time.Millisecond,
		"/t/b": 0, "/t/b?ms=800": 800 * time.Millisecond,
		"/reports/2020": 300 * time.Millisecond, "/reports/2024": 1500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			handler, began := Handler(), time.Now()
			response, _ := get(t, handler, path)
			assert.Equal(t, http.StatusOK, response.StatusCode, path)
			assert.Equal(t, want, time.Since(began), path)
		})
	}
}
