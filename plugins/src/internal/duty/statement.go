package duty

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWrapped is over how many lines a statement goes at most, before and after
	// the one with the word.
	maxWrapped = 4
	// maxWhole is up to how many bytes a statement is given with what stands round it.
	maxWhole = 400
)

// statements goes through what states a duty in a text: a line, with those before
// and after it over which its sentence is wrapped. Of a long one only the sentences
// that state one.
func statements(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		free := 0 // what stands before was given
		for at := 0; at < len(text); {
			end := lineEnd(text, at)
			if !States(text[at:end]) {
				at = end
				continue
			}
			from, to := wrapped(text, free, at, end)
			for one := range whole(strings.Join(strings.Fields(text[from:to]), " ")) {
				if !yield(one) {
					return
				}
			}
			at, free = to, to
		}
	}
}

// lineEnd is where the line that starts at at ends, its end included.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// wrapped is the line text[at:end] with those that its sentence comes from and goes
// on to, from free on.
func wrapped(text string, free, at, end int) (from, to int) {
	from, to = at, end
	for range maxWrapped {
		before := strings.LastIndexByte(text[free:max(from-1, free)], '\n') + 1 + free
		if from <= free || !goesOn(text[before:from], text[from:to]) {
			break
		}
		from = before
	}
	for last := at; to < len(text) && to-from < maxWrapped*maxWhole; {
		next := lineEnd(text, to)
		if !goesOn(text[last:to], text[to:next]) {
			break
		}
		last, to = to, next
	}
	return from, to
}

// goesOn reports whether a sentence of one line goes on in the next: that begins in
// lower case, and is no "key: value".
func goesOn(line, next string) bool {
	line, next = strings.TrimSpace(line), strings.TrimSpace(next)
	if line == "" || next == "" || line[0] == '#' || strings.IndexByte(".!?:;|{}[]>", line[len(line)-1]) >= 0 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	word, _, _ := strings.Cut(next, " ")
	return (unicode.IsLower(first) || first == '(' || first == '`') && !strings.HasSuffix(word, ":")
}

// whole is a statement, or the sentences of a long one that state a duty.
func whole(statement string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(statement) <= maxWhole {
			yield(statement)
			return
		}
		for s := range split(statement) {
			if States(s) && !yield(s) {
				return
			}
		}
	}
}

// split goes through the sentences of a text.
func split(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); i++ {
			ends := text[i] == '\n' || strings.IndexByte(".!?;", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n')
			if !ends {
				continue
			}
			if s := strings.TrimSpace(text[from : i+1]); s != "" && !yield(s) {
				return
			}
			from = i + 1
		}
		if s := strings.TrimSpace(text[from:]); s != "" {
			yield(s)
		}
	}
}
