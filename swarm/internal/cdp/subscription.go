package cdp

import (
	"sync"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// subscription is an unbounded queue in front of a channel, so that a slow subscriber delays nobody but itself.
type subscription struct {
	out  chan jsonv2.Value
	quit chan struct{}
	stop func()

	// more holds at most one token: there is something new to look at.
	more chan struct{}

	mu       sync.Mutex
	queue    []jsonv2.Value
	finished bool
}

func newSubscription() *subscription {
	s := &subscription{out: make(chan jsonv2.Value), quit: make(chan struct{}), more: make(chan struct{}, 1)}
	s.stop = sync.OnceFunc(func() { close(s.quit) })
	return s
}

func (s *subscription) push(params jsonv2.Value) {
	s.mu.Lock()
	s.queue = append(s.queue, params)
	s.mu.Unlock()
	s.signal()
}

// finish closes the channel once the queue has been read.
func (s *subscription) finish() {
	s.mu.Lock()
	s.finished = true
	s.mu.Unlock()
	s.signal()
}

func (s *subscription) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *subscription) take() (queue []jsonv2.Value, finished bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue, s.queue = s.queue, nil
	return queue, s.finished
}

// pump moves the queue into the channel until the subscriber stops it or the session has ended and all is read.
func (s *subscription) pump() {
	defer close(s.out)
	for {
		queue, finished := s.take()
		for _, params := range queue {
			select {
			case s.out <- params:
			case <-s.quit:
				return
			}
		}
		if finished {
			return
		}
		select {
		case <-s.more:
		case <-s.quit:
			return
		}
	}
}
