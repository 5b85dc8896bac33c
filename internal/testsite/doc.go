// Package testsite is the web site that everything here is tried on: a small
// shop with a journal to crawl, and under /t/ one page for each thing that goes
// wrong in browsers. The pages are embedded; nothing is fetched from elsewhere.
//
//	site, err := testsite.Start()
//	…
//	defer site.Close()
//	tab.Goto(ctx, site.URL+"/t/covered", nil)
//
// The shop ("/" and all that plain links lead to from there) is described by
// [Pages]; a test compares that list with what a crawl finds. No link leads
// from it to /t/, where pages hang, loop and raise dialogs. GET /t/ lists the
// fixtures with a line on each; a fixture that shows an entry of the list of
// known failures answers under its id too (/t/covered is /t/B05).
//
// A page does not depend on another, on the time or on chance, and the handler
// keeps no state: the same request always gets the same answer. What a page
// varies by is in its query. A query that makes no sense is answered with 400,
// so that a test with a slip in its URL fails where the slip is.
//
// It is not a stand-in for a real server: it answers whoever asks, redirects to
// wherever it is told, and sleeps as long as it is told. Start listens on the
// loopback interface only.
//
// A handler and a Site may be used by many goroutines at once. The Site owns
// its listeners, connections and goroutines; Close ends them all and waits.
package testsite
