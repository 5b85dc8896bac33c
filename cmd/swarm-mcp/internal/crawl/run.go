package crawl

import (
	"context"
	"sync"
)

// Visit visits a page as one of the workers, which are numbered from 0, and
// returns the links on it. An error ends the crawl; a page that only failed
// is the visitor's to note.
type Visit func(ctx context.Context, worker int, p Page) (links []string, err error)

// Run visits the frontier's pages with so many workers at once until none is
// left, ctx ends or a visit fails, and returns when no visit is running.
// progress hears of each page done, one call at a time.
func Run(ctx context.Context, f *Frontier, workers int, visit Visit, progress func(done, known int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		page  Page
		links []string
	}
	jobs := make(chan Page)
	results := make(chan result)
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			for page := range jobs {
				links, err := visit(ctx, worker, page)
				if err != nil {
					cancel(err)
				}
				results <- result{page, links}
			}
		})
	}

	done, inFlight := 0, 0
	next, waiting := f.Next()
	for {
		var offer chan<- Page // nil, so never ready, while there is nothing to do
		if waiting && ctx.Err() == nil {
			offer = jobs
		}
		if offer == nil && inFlight == 0 {
			break
		}
		select {
		case offer <- next:
			inFlight++
			next, waiting = f.Next()
		case r := <-results:
			inFlight--
			done++
			for _, link := range r.links {
				f.Add(link, r.page.Depth+1)
			}
			if !waiting {
				next, waiting = f.Next()
			}
			progress(done, f.Known())
		}
	}
	close(jobs)
	running.Wait()
	return context.Cause(ctx)
}
