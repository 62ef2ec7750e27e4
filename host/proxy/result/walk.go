package result

import "github.com/mcpctl/mcpctl/host/jsonspan"

// These methods walk a valid JSON text and read each byte once. Each takes the start of
// a value and returns its end.

// skip skips a value.
func (l *Layout) skip(at int) int {
	end, err := jsonspan.ValueEnd(l.raw, at)
	if err != nil {
		return len(l.raw)
	}
	return end
}

// member calls element for the elements of an array that is a member of the result.
func (l *Layout) member(name string, element func(at int) int) {
	l.eachMember(jsonspan.SkipBlank(l.raw, 0), func(key []byte, at int) int {
		if jsonspan.KeyIs(key, name) {
			return l.list(at, element)
		}
		return at
	})
}

// list calls element for each element of an expected array. Another kind of value is
// passed on, but read by filters.
func (l *Layout) list(at int, element func(at int) int) int {
	end := l.eachElement(at, element)
	if jsonspan.KindAt(l.raw, at) != jsonspan.Array {
		l.addForFilters(part{text: jsonspan.Member{Start: at, End: end}})
	}
	return end
}

// eachMember calls read for each member of an object. read returns the start of the
// value to have it skipped. Another kind of value is skipped.
func (l *Layout) eachMember(at int, read func(key []byte, at int) int) int {
	if jsonspan.KindAt(l.raw, at) != jsonspan.Object {
		return l.skip(at)
	}
	end, err := jsonspan.ScanMembers(l.raw, at, func(key []byte, at int) (int, error) {
		if end := read(key, at); end > at {
			return end, nil
		}
		return l.skip(at), nil
	})
	if err != nil {
		return len(l.raw)
	}
	return end
}

// eachElement calls read for each element of an array. Another kind of value is skipped.
func (l *Layout) eachElement(at int, read func(at int) int) int {
	if jsonspan.KindAt(l.raw, at) != jsonspan.Array {
		return l.skip(at)
	}
	at = jsonspan.SkipBlank(l.raw, at+1)
	for at < len(l.raw) && l.raw[at] != ']' {
		at = jsonspan.SkipBlank(l.raw, read(at))
		if at < len(l.raw) && l.raw[at] == ',' {
			at = jsonspan.SkipBlank(l.raw, at+1)
		}
	}
	return min(at+1, len(l.raw))
}
