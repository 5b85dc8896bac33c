// Package install gets a browser onto the machine: the distribution's package
// where the user may install packages, else Chrome for Testing.
//
// Packages runs apt-get and leaves everything to it. A Downloader reads the
// published index of Chrome for Testing, downloads into <Dir>/.downloads
// (going on where an earlier attempt was cut), checks size and hash, unpacks
// into a directory of its own and renames that to
// <Dir>/<version>/<product>-<platform>/: what is found there is always whole.
// It does not choose between the two, start browsers or delete old versions.
//
// A Downloader may be used by one goroutine at a time, and a Dir by one
// process at a time: two would write the same .part file, and the hash of the
// result would not match.
package install
