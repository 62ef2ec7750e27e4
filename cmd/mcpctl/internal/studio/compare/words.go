package compare

import (
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

const (
	changed  = screen.Style("1;4") // bold and underlined: visible without colour
	prefix   = 2                   // bytes of "- " and "+ "
	maxWords = 1000                // of a line that is compared word by word
)

// words returns the marks of the words that differ. Lines without a common word have no
// marks, because they were replaced as a whole.
func words(before, after string) (a, b []screen.Mark) {
	from, to := split(before), split(after)
	same := 0
	for same < min(len(from), len(to)) && from[same] == to[same] {
		same++
	}
	end := 0
	for end < min(len(from), len(to))-same && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	midA, midB := from[same:len(from)-end], to[same:len(to)-end]
	keepA, keepB := make([]bool, len(midA)), make([]bool, len(midB))
	if len(midA) <= maxWords && len(midB) <= maxWords {
		keepCommon(midA, midB, keepA, keepB)
	}
	if !isSimilar(from[:same]) && !isSimilar(from[len(from)-end:]) && !isSimilar(kept(midA, keepA)) {
		return nil, nil
	}
	start := prefix
	for _, w := range from[:same] {
		start += len(w)
	}
	return marks(midA, keepA, start), marks(midB, keepB, start)
}

// isSimilar reports whether the words contain a letter or a digit.
func isSimilar(words []string) bool {
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); isWord(r) {
			return true
		}
	}
	return false
}

func kept(words []string, keep []bool) (out []string) {
	for i, w := range words {
		if keep[i] {
			out = append(out, w)
		}
	}
	return out
}

// keepCommon finds a longest common subsequence.
func keepCommon(a, b []string, keepA, keepB []bool) {
	length := make([]int16, (len(a)+1)*(len(b)+1)) // of the rest from i and j
	at := func(i, j int) *int16 { return &length[i*(len(b)+1)+j] }
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			keepA[i], keepB[j] = true, true
			i++
			j++
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
}

// marks returns the marks of the words that are not kept. Adjacent ones are joined.
func marks(words []string, keep []bool, start int) (out []screen.Mark) {
	for i, w := range words {
		end := start + len(w)
		switch {
		case keep[i]:
		case len(out) > 0 && out[len(out)-1].To == start:
			out[len(out)-1].To = end
		default:
			out = append(out, screen.Mark{From: start, To: end, Style: changed})
		}
		start = end
	}
	return out
}

// split returns words, blanks, and other characters one by one. Marks stay with the
// character before them; characters of scripts without blanks are words of their own.
func split(s string) (out []string) {
	start, last := 0, rune(-1)
	for i, r := range s {
		if i > 0 && !isJoined(last, r) {
			out = append(out, s[start:i])
			start = i
		}
		last = r
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func isJoined(a, b rune) bool {
	switch {
	case unicode.IsMark(b):
		return true
	case isIdeograph(a) || isIdeograph(b):
		return false
	}
	return isWord(a) && (isWord(b) || unicode.IsMark(b)) || a == ' ' && b == ' ' || unicode.IsMark(a) && isWord(b)
}

// isWord reports whether r belongs to a word. Other characters beyond ASCII count, so that
// no emoji is divided.
func isWord(r rune) bool {
	return r == '_' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isIdeograph(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
