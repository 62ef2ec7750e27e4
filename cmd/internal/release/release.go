// Package release says which version these programs are.
package release

import (
	"cmp"
	"strconv"
	"strings"
)

// Version is set by the release build (-ldflags -X); between releases it is the
// next version with the suffix -dev.
var Version = "0.1.0-dev"

// Newer reports whether version a came after b, by the rules of semver.org as far
// as we use them: three numbers, and a suffix comes before none. Versions that
// cannot be read are never newer.
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
	return cmp.Compare(sufX, sufY) > 0
}

func parse(s string) (numbers [3]int, suffix string, ok bool) {
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
