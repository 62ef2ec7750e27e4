// Package release contains the version of the programs.
package release

import (
	"strings"

	"golang.org/x/mod/semver"
)

// Version is the output of packaging/version in builds of make install and make dist, which
// set it with -ldflags -X. In other builds it is the next version with the suffix -dev.
var Version = "0.1.0-dev"

// Newer reports whether version a is newer than b by the rules of semver.org. Build
// metadata is ignored, and an invalid version is never newer.
func Newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	return semver.IsValid(b) && semver.Compare(a, b) > 0
}
