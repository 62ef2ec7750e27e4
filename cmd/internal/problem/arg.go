package problem

import "strings"

// Arg writes a path or another word as a command of a hint needs it: in quotes if a
// shell would read more into it.
func Arg(word string) string {
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports whether a shell may read r as anything but itself. A backslash is
// left alone: it parts the folders of a path where there are such.
func special(r rune) bool {
	return r <= ' ' || r < 0x7f && strings.ContainsRune("!\"#$&'()*;<>?[]^`{|}~", r)
}
