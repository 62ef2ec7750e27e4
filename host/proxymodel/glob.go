package proxymodel

import "strings"

// isGlob reports whether a pattern has a wildcard.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// matchGlob reports whether s matches a pattern, in which * matches any text including
// slashes, and ? matches one byte. Its time is at most proportional to the product of
// both lengths.
func matchGlob(pattern, s string) bool {
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
