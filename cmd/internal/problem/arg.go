package problem

import "strings"

// Arg returns word as one argument of a shell command, quoted if a shell would
// interpret any of its characters.
func Arg(word string) string {
	if word != "" && strings.IndexFunc(word, isSpecial) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isSpecial reports whether a shell may interpret r. A backslash is not quoted,
// because it separates directories on Windows.
func isSpecial(r rune) bool {
	return r <= ' ' || r < 0x7f && strings.ContainsRune("!\"#$&'()*;<>?[]^`{|}~", r)
}
