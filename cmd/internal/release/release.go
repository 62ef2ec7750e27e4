// Package release contains the version of the programs.
package release

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Version is the output of packaging/version in builds of make install and make dist, which
// set it with -ldflags -X. In other builds it is the next version with the suffix -dev.
var Version = "0.1.0-dev"

// Newer reports whether version a is newer than b by the rules of semver.org. Build
// metadata is ignored, and an invalid version is never newer.
func Newer(a, b string) bool {
	x, sufX, okX := parse(a)
	y, sufY, okY := parse(b)
	if !okX || !okY {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	if sufX == "" || sufY == "" {
		return sufX == "" && sufY != ""
	}
	return slices.CompareFunc(strings.Split(sufX, "."), strings.Split(sufY, "."), compareIdentifiers) > 0
}

// compareIdentifiers orders numbers by value and before words.
func compareIdentifiers(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

func parse(s string) (numbers [3]int, suffix string, ok bool) {
	s, _, _ = strings.Cut(s, "+")
	core, suffix, _ := strings.Cut(strings.TrimPrefix(s, "v"), "-")
	parts := strings.Split(core, ".")
	if len(parts) != len(numbers) {
		return numbers, "", false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return numbers, "", false
		}
		numbers[i] = n
	}
	return numbers, suffix, true
}
