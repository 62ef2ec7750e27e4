package duty

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWrapped is the maximum number of lines of a statement before and after the line
	// with the word.
	maxWrapped = 4
	// maxWhole is the size in bytes up to which a statement is returned with its context.
	maxWhole = 400
)

// eachStatement iterates over the statements of duties in a text: a line with the lines
// before and after it that its sentence is wrapped over. For a long statement it returns
// only the sentences that state a duty.
func eachStatement(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		free := 0 // end of the last statement
		for at := 0; at < len(text); {
			end := findLineEnd(text, at)
			if !IsDuty(text[at:end]) {
				at = end
				continue
			}
			from, to := extendWrapped(text, free, at, end)
			for one := range splitLong(strings.Join(strings.Fields(text[from:to]), " ")) {
				if !yield(one) {
					return
				}
			}
			at, free = to, to
		}
	}
}

// findLineEnd returns the end of the line that starts at an offset, after the line break.
func findLineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// extendWrapped extends the line text[at:end] by the lines that its sentence continues on,
// not before free.
func extendWrapped(text string, free, at, end int) (from, to int) {
	from, to = at, end
	for range maxWrapped {
		before := strings.LastIndexByte(text[free:max(from-1, free)], '\n') + 1 + free
		if from <= free || !continues(text[before:from], text[from:to]) {
			break
		}
		from = before
	}
	for last := at; to < len(text) && to-from < maxWrapped*maxWhole; {
		next := findLineEnd(text, to)
		if !continues(text[last:to], text[to:next]) {
			break
		}
		last, to = to, next
	}
	return from, to
}

// continues reports whether the sentence of a line continues on the next: that begins in
// lower case and is not "key: value".
func continues(line, next string) bool {
	line, next = strings.TrimSpace(line), strings.TrimSpace(next)
	if line == "" || next == "" || line[0] == '#' || strings.IndexByte(".!?:;|{}[]>", line[len(line)-1]) >= 0 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	word, _, _ := strings.Cut(next, " ")
	return (unicode.IsLower(first) || first == '(' || first == '`') && !strings.HasSuffix(word, ":")
}

// splitLong returns a statement, or only the sentences of a long one that state a duty.
func splitLong(statement string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(statement) <= maxWhole {
			yield(statement)
			return
		}
		for s := range splitSentences(statement) {
			if IsDuty(s) && !yield(s) {
				return
			}
		}
	}
}

// splitSentences iterates over the sentences of a text.
func splitSentences(text string) iter.Seq[string] {
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
