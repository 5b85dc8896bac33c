package testsite

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// Site is a running copy of the test site.
type Site struct {
	// URL is "http://127.0.0.1:PORT", without a slash at the end; "https:" after StartTLS.
	URL string
	// OtherURL reaches the same listener as "localhost", which to a browser is
	// another origin and another site: a frame from there gets its own process.
	OtherURL string

	server  *http.Server
	stop    context.CancelFunc // ends the context of every request
	serving sync.WaitGroup     // one for each listener
	conns   sync.WaitGroup     // one for each connection, its handler included
}

// Start serves the site on a free loopback port.
func Start() (*Site, error) { return start(nil) }

// StartTLS serves the site over HTTPS (HTTP/1.1), with a certificate for
// localhost, 127.0.0.1 and ::1 that is made for the occasion and that nobody
// has reason to trust.
func StartTLS() (*Site, error) {
	certificate, err := selfSigned()
	if err != nil {
		return nil, fmt.Errorf("make the certificate: %w", err)
	}
	return start(&tls.Config{Certificates: []tls.Certificate{certificate}})
}

func start(secure *tls.Config) (*Site, error) {
	listeners, err := listenLoopback()
	if err != nil {
		return nil, fmt.Errorf("listen on the loopback interface: %w", err)
	}
	port := listeners[0].Addr().(*net.TCPAddr).Port
	scheme := "http"
	if secure != nil {
		scheme = "https"
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Site{
		URL:      fmt.Sprintf("%s://127.0.0.1:%d", scheme, port),
		OtherURL: fmt.Sprintf("%s://localhost:%d", scheme, port),
		stop:     stop,
	}
	s.server = &http.Server{
		Handler:     Handler(),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   s.count,
	}
	if secure != nil {
		// Each client that refuses the certificate would be a line on stderr.
		s.server.ErrorLog = log.New(io.Discard, "", 0)
	}
	for _, l := range listeners {
		if secure != nil {
			l = tls.NewListener(l, secure)
		}
		s.serving.Go(func() { _ = s.server.Serve(l) }) // always ErrServerClosed or that of a closed listener
	}
	return s, nil
}

// Close ends every request under way, also one that hangs on purpose, and
// returns when no goroutine of the site is left. It may be called twice.
func (s *Site) Close() {
	s.stop()
	_ = s.server.Close() // at worst a listener was closed before
	s.serving.Wait()
	s.conns.Wait()
}

// count keeps conns. New connections are counted by the goroutine that accepts
// them, so that none comes when serving is done.
func (s *Site) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed:
		s.conns.Done()
	}
}

// listenLoopback takes one free port of 127.0.0.1 and, on a machine with IPv6,
// of ::1. Browsers try both for localhost, ::1 first: whoever had the port
// there would answer for us.
func listenLoopback() ([]net.Listener, error) {
	var failed error
	for range 10 {
		v6, err := net.Listen("tcp6", "[::1]:0")
		if err != nil { // no IPv6
			v4, err := net.Listen("tcp4", "127.0.0.1:0")
			return []net.Listener{v4}, err
		}
		port := v6.Addr().(*net.TCPAddr).Port
		v4, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return []net.Listener{v4, v6}, nil
		}
		v6.Close()
		failed = err
	}
	return nil, failed
}
