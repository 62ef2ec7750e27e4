package proxymodel

import "strings"

// isGlob reports whether a pattern has a wildcard.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// matchGlob matches s against a pattern in which * is any text, slashes
// included, and ? one byte. Its time is at most the product of both lengths.
func matchGlob(pattern, s string) bool {
	p, i := 0, 0
	star, resume := -1, 0 // last * seen, and where s goes on if it takes one byte more
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
