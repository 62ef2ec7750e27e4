// Package glob matches names against the patterns that a project contains, for server/tool
// and for the URIs of resources, and against those of bindings.
package glob

import "strings"

// HasWildcard reports whether a pattern has a wildcard.
func HasWildcard(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// Match reports whether s matches a pattern, in which * matches any text including
// slashes, and ? matches one byte. Its time is at most proportional to the product of
// both lengths.
func Match(pattern, s string) bool {
	p, i := 0, 0
	star, resume := -1, 0 // the last *, and the position in s after the text that it matches
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			resume++
			p, i = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
