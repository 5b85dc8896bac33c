// Package crawl decides which pages of a site to visit, in which order and
// how fast. It does not visit them: that is the caller's function, and so are
// tabs and results.
//
// Frontier is a plain queue and belongs to one goroutine; Run owns it while it
// runs. A Pace and a Robots may be shared by goroutines.
package crawl
