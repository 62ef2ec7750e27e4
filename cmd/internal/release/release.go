// Package release says which version these programs are.
package release

// Version is set by the release build (-ldflags -X); between releases it is the
// next version with the suffix -dev.
var Version = "0.1.0-dev"
