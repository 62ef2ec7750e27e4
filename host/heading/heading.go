// Package heading compares headings with the names that people and models type for them: the
// heading as written, its slug, its anchor on a web page, or the version at its beginning.
package heading

import (
	"regexp"
	"strings"
	"unicode"
)

// Matches reports whether name names a heading. Only letters and digits count, in any case,
// and a link counts as its text. A heading that ends with "..." was cut there. A name that is
// a version, with or without v, names a heading that begins with it.
func Matches(heading, name string) bool {
	const minCut = 20 // letters; fewer would match too much
	if a, b := firstOf(heading), firstOf(name); a != b && a != 'v' && b != 'v' {
		return false // most headings of a document, at once
	}
	key, want := keyOf(heading), keyOf(name)
	switch {
	case want == "" || key == "":
		return false
	case key == want:
		return true
	case strings.HasSuffix(heading, "...") && len(key) >= minCut && strings.HasPrefix(want, key):
		return true
	}
	version := versionAt(name)
	return version != "" && version == trimV(name) && version == versionAt(heading)
}

// firstOf returns the first letter or digit of a text in lower case, or 0.
func firstOf(text string) rune {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
	}
	return 0
}

// linkTarget is the address of a link in Markdown.
var linkTarget = regexp.MustCompile(`\]\([^()\s]*\)`)

// keyOf returns the letters and digits of a text in lower case.
func keyOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, linkTarget.ReplaceAllString(text, "]"))
}

// version is a version of two numbers or more, such as 2.16.0-rc.1+build.
var version = regexp.MustCompile(`^\d+(?:\.\d+)+(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?`)

// versionAt returns the version that a text begins with, or "".
func versionAt(text string) string {
	text = trimV(strings.TrimPrefix(text, "["))
	found := version.FindString(text)
	if rest := text[len(found):]; rest != "" && strings.IndexByte(" ]:,()", rest[0]) < 0 {
		return ""
	}
	return found
}

// trimV returns a version without the v before it.
func trimV(text string) string {
	if len(text) > 1 && (text[0] == 'v' || text[0] == 'V') && '0' <= text[1] && text[1] <= '9' {
		return text[1:]
	}
	return text
}
