package label

import "bytes"

const (
	maxParts      = 8 // parts of names that are compared
	minTrimPrefix = 8 // bytes of a prefix that is worth leaving out of titles
)

// partEnd returns the offset after the separator that ends the part of a name beginning
// at from, -1 if there is none. If camelCase is set, an inner capital letter ends a part
// too.
func partEnd(name []byte, from int, camelCase bool) int {
	for i := from; i < len(name); i++ {
		if c := name[i]; c == '_' || c-'-' < 3 || c == ':' { // - . / and others
			return i + 1
		}
		if camelCase && i > from && IsWordStart(name, i) {
			return i
		}
	}
	return -1
}

// IsWordStart reports whether a capital letter inside a name begins a word.
func IsWordStart(name []byte, i int) bool {
	return name[i]-'A' < 26 && (name[i-1]-'a' < 26 || name[i-1]-'0' <= 9)
}

// Name returns the text of the name of a row, nil if it has none.
func (l *Labels) Name(row int32) []byte {
	if x, ok := l.NameCell(int(row)); ok && x.Size() > 2 {
		return l.B[x.Start+1 : x.End-1]
	}
	return nil
}

// CommonPrefix returns the prefix of whole parts that more than four fifths of some rows
// have in their names. A group of these rows would be dominant, so the prefix does not
// help to distinguish them.
func (l *Labels) CommonPrefix(rows []int32, camelCase bool) (prefix []byte) {
	for range maxParts {
		longer := l.frequentPrefix(rows, prefix, camelCase)
		if longer == nil || !l.hasCommonStart(rows, longer) {
			break
		}
		prefix = longer
	}
	return prefix
}

// frequentPrefix returns prefix and the part that follows it in most of a sample of the
// names, by a majority vote. It returns nil if there is none, which the first names
// usually show.
func (l *Labels) frequentPrefix(rows []int32, prefix []byte, camelCase bool) (frequent []byte) {
	const sample, first = 16, 4
	votes := 0
	step := max(1, len(rows)/sample)
	for i := 0; i < len(rows); i += step {
		name := l.Name(rows[i])
		switch {
		case votes > 0 && bytes.HasPrefix(name, frequent):
			votes++
		case votes > 0:
			votes--
		default:
			if i >= first*step {
				return nil
			}
			if bytes.HasPrefix(name, prefix) {
				if end := partEnd(name, len(prefix), camelCase); end >= 0 {
					frequent, votes = name[:end], 1
				}
			}
		}
	}
	if votes == 0 {
		return nil
	}
	return frequent
}

// hasCommonStart reports whether more than four fifths of some rows have names that begin with
// prefix.
func (l *Labels) hasCommonStart(rows []int32, prefix []byte) bool {
	others := 0
	for _, r := range rows {
		if !bytes.HasPrefix(l.Name(r), prefix) {
			if others++; others*5 >= len(rows) {
				return false
			}
		}
	}
	return true
}

// HasSeparators reports whether at least half of a sample of names contain separators.
func (l *Labels) HasSeparators(rows []int32) bool {
	const sample = 8
	n := 0
	for i := range sample {
		if partEnd(l.Name(rows[i*len(rows)/sample]), 0, false) >= 0 {
			n++
		}
	}
	return 2*n >= sample
}

// KeyPrefix returns the common prefix of all keys if it is long enough to leave it out of
// titles. The ids contain it.
func (l *Labels) KeyPrefix() []byte {
	if l.prefixPending {
		l.prefixPending = false
		rows := l.Memory.Ints.Get(l.Len())
		for i := range rows {
			rows[i] = int32(i)
		}
		if prefix := l.CommonPrefix(rows, false); len(prefix) >= minTrimPrefix {
			l.prefix = prefix
		}
		l.Memory.Ints.Put(rows)
	}
	return l.prefix
}
