package find

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// jsonPaths continues paths into JSON values that are not Sections.
type jsonPaths struct {
	tree *tree.Tree
	// containers caches, by Section (int32), whether it is a JSON container (bool).
	// Finding out reads all of it.
	containers sync.Map
}

// follow follows segments as keys and positions into the JSON value p, until it
// reaches a Section or a segment names nothing. It returns the number of segments
// used. Only the end of the last value is computed, so depth costs one pass.
func (j *jsonPaths) follow(p tree.Part, segments []string) ([]tree.Part, int) {
	at, ok := j.start(&p)
	if !ok {
		return nil, 0
	}
	text := p.Source.Text[:p.End]
	base, tail := &p, ""
	if p.Kind == tree.KindValue {
		base, tail = p.Base, p.Tail
	}
	var path strings.Builder
	path.WriteString(tail)
	passes := 0
	for used, segment := range segments {
		if jsonspan.KindAt(text, at) == jsonspan.Array {
			if _, isPosition := ids.Position(segment); !isPosition {
				passes++ // reads the array
			}
			if passes > maxPasses { // no other way is faster
				return nil, len(segments)
			}
		}
		next, name, ok := childValue(text, at, segment)
		if !ok {
			if used == 0 {
				return nil, 0
			}
			return valueAt(text, base, path.String(), at), used
		}
		at = next
		path.WriteString("/" + name)
		if i, ok := j.sectionAt(&p, at); ok {
			return []tree.Part{j.tree.Part(i)}, used + 1
		}
	}
	return valueAt(text, base, path.String(), at), len(segments)
}

func valueAt(text []byte, base *tree.Part, tail string, at int) []tree.Part {
	end, err := jsonspan.ValueEnd(text, at)
	if err != nil {
		return nil
	}
	return []tree.Part{tree.Derive(tree.KindValue, base, at, end, tail)}
}

// start returns the start of the JSON value that p consists of.
func (j *jsonPaths) start(p *tree.Part) (int, bool) {
	if !p.IsContent() || p.Kind == tree.KindFold || p.Kind == tree.KindRange {
		return 0, false
	}
	if p.Kind == tree.KindValue {
		return p.Start, true
	}
	at := p.Start + skipStart(p.Bytes())
	if p.Kind != tree.KindSection {
		return at, j.isContainer(p, at)
	}
	is, ok := j.containers.Load(p.Section)
	if !ok {
		is = j.isContainer(p, at)
		j.containers.Store(p.Section, is)
	}
	return at, is.(bool)
}

// skipStart returns the index of the first byte after a byte order mark and
// blanks.
func skipStart(text []byte) int {
	return jsonspan.SkipBlank(text, len(text)-len(bytes.TrimPrefix(text, []byte("\ufeff"))))
}

// isContainer reports whether p is one array or object and nothing else.
func (j *jsonPaths) isContainer(p *tree.Part, at int) bool {
	text := p.Source.Text[:p.End]
	if kind := jsonspan.KindAt(text, at); !j.tree.SyntaxIn(*p).IsJSON() || kind != jsonspan.Array && kind != jsonspan.Object {
		return false
	}
	end, err := jsonspan.ValueEnd(text, at)
	return err == nil && jsonspan.SkipBlank(text, end) == p.End
}

// items returns the elements of the JSON array p.
func (j *jsonPaths) items(p tree.Part) (items []tree.Part) {
	at, ok := j.start(&p)
	if !ok || jsonspan.KindAt(p.Source.Text[:p.End], at) != jsonspan.Array {
		return nil
	}
	items, _ = j.inner(&p)
	return items
}

func (j *jsonPaths) inner(p *tree.Part) (parts []tree.Part, n int) {
	if j.tree.HasParts(p) {
		list := j.tree.Kids(p.Section)
		if p.IsContent() {
			list = j.tree.Cover(p.Section)
		}
		for _, section := range list {
			parts = append(parts, j.tree.Part(section))
		}
		return parts, len(parts)
	}
	at, ok := j.start(p)
	if !ok {
		return nil, 0
	}
	base, tail := p, ""
	if p.Kind == tree.KindValue {
		base, tail = p.Base, p.Tail
	}
	text := p.Source.Text[:p.End]
	jsonspan.Children(text, at, func(m jsonspan.Member) bool {
		if n++; n > tree.MaxSections {
			return true
		}
		name := strconv.Itoa(n - 1)
		if key, err := jsonspan.Unquote(text[m.KeyStart:m.KeyEnd]); m.KeyEnd > 0 && err == nil {
			name = abi.Segment(string(key))
		}
		parts = append(parts, tree.Derive(tree.KindValue, base, m.Start, m.End, tail+"/"+name))
		return true
	})
	return parts, n
}

// sectionAt returns the Section that is exactly the value at text[at], among the
// Sections in the home of p.
func (j *jsonPaths) sectionAt(p *tree.Part, at int) (int32, bool) {
	list := j.tree.Cover(p.Section)
	n, found := slices.BinarySearchFunc(list, at, func(i int32, at int) int {
		start, _ := j.tree.Place(i)
		return start - at
	})
	if !found {
		return 0, false
	}
	q := j.tree.Part(list[n])
	if q.Source != p.Source {
		return 0, false
	}
	end, err := jsonspan.ValueEnd(p.Source.Text[:p.End], at)
	return list[n], err == nil && q.Start == at && q.End == end
}

// shortenedKey is the least length of a segment that may be a shortened key with
// its hash.
const shortenedKey = 52

// childValue returns the start of the child that segment names in the container at
// text[at], and the segment as an id spells it.
func childValue(text []byte, at int, segment string) (start int, name string, ok bool) {
	switch jsonspan.KindAt(text, at) {
	case jsonspan.Array:
		n, isPosition := ids.Position(segment)
		if !isPosition {
			start, n, ok = namedElement(text, at, ids.Unescape(segment))
			return start, strconv.Itoa(n), ok
		}
		start, ok = arrayElement(text, at, n)
		return start, strconv.Itoa(n), ok
	case jsonspan.Object:
		keys := []string{segment, ids.Unescape(segment)}
		if keys[0] != keys[1] && len(segment) <= tree.MaxID && abi.Segment(keys[1]) == segment { // as an id spells the key
			keys = keys[1:]
		}
		for _, key := range slices.Compact(keys) {
			isKey := func(literal []byte) bool { return jsonspan.KeyIs(literal, key) }
			if start, ok = memberValue(text, at, isKey); ok {
				return start, abi.Segment(key), true
			}
		}
		if len(segment) < shortenedKey {
			return 0, "", false
		}
		start, ok = memberValue(text, at, func(literal []byte) bool {
			key, err := jsonspan.Unquote(literal)
			return err == nil && abi.Segment(string(key)) == segment
		})
		return start, segment, ok
	}
	return 0, "", false
}

// namingKeys are the keys that identify an object in an array, in order of preference.
var namingKeys = [...]string{"id", "name", "key", "title"}

// namedElement returns the start and the position of the only object in the array at
// text[at] that has a name.
func namedElement(text []byte, at int, name string) (start, position int, ok bool) {
	var starts, positions, counts [len(namingKeys)]int
	n := 0
	jsonspan.Children(text, at, func(element jsonspan.Member) bool {
		if jsonspan.KindAt(text, element.Start) == jsonspan.Object {
			jsonspan.Children(text, element.Start, func(m jsonspan.Member) bool {
				isKey := func(key string) bool { return jsonspan.KeyIs(text[m.KeyStart:m.KeyEnd], key) }
				if rank := slices.IndexFunc(namingKeys[:], isKey); rank >= 0 && jsonspan.KeyIs(text[m.Start:m.End], name) {
					starts[rank], positions[rank] = element.Start, n
					counts[rank]++
				}
				return true
			})
		}
		n++
		return true
	})
	for rank, count := range counts {
		if count > 0 {
			return starts[rank], positions[rank], count == 1
		}
	}
	return 0, 0, false
}

// findInArrays returns the elements with this name in the arrays that are members of the
// object p: a path may skip the key of the array.
func (j *jsonPaths) findInArrays(p tree.Part, segment string) (found []tree.Part) {
	at, ok := j.start(&p)
	if _, isPosition := ids.Position(segment); !ok || isPosition {
		return nil
	}
	text := p.Source.Text[:p.End]
	jsonspan.Children(text, at, func(m jsonspan.Member) bool {
		key, err := jsonspan.Unquote(text[m.KeyStart:m.KeyEnd])
		if m.KeyEnd > 0 && err == nil && jsonspan.KindAt(text, m.Start) == jsonspan.Array {
			if start, n, ok := namedElement(text, m.Start, ids.Unescape(segment)); ok {
				found = append(found, j.elementOf(&p, "/"+abi.Segment(string(key))+"/"+strconv.Itoa(n), start)...)
			}
		}
		return len(found) < MaxMatches
	})
	if len(found) == 1 { // the answer has the id of the Section, if there is one
		if s, ok := j.tree.SectionAt(found[0].Source, found[0].Start, found[0].End); ok {
			found[0] = s
		}
	}
	return found
}

// elementOf returns the value at an offset inside p. tail is its path from p.
func (j *jsonPaths) elementOf(p *tree.Part, tail string, at int) []tree.Part {
	base := p
	if p.Kind == tree.KindValue {
		base, tail = p.Base, p.Tail+tail
	}
	return valueAt(p.Source.Text[:p.End], base, tail, at)
}

// arrayElement returns the start of element n of the array at text[at].
func arrayElement(text []byte, at, n int) (int, bool) {
	at = jsonspan.SkipBlank(text, at+1)
	for ; n > 0; n-- {
		var ok bool
		if at, ok = afterComma(text, at); !ok {
			return 0, false
		}
	}
	return at, jsonspan.KindAt(text, at) != jsonspan.Invalid
}

// memberValue returns the start of the value of the first member with an accepted
// key of the object at text[at].
func memberValue(text []byte, at int, isKey func(literal []byte) bool) (int, bool) {
	for at = jsonspan.SkipBlank(text, at+1); jsonspan.KindAt(text, at) == jsonspan.String; {
		keyEnd, err := jsonspan.ValueEnd(text, at)
		if err != nil {
			return 0, false
		}
		found := isKey(text[at:keyEnd])
		if at = jsonspan.SkipBlank(text, keyEnd); at >= len(text) || text[at] != ':' {
			return 0, false
		}
		at = jsonspan.SkipBlank(text, at+1)
		if found {
			return at, jsonspan.KindAt(text, at) != jsonspan.Invalid
		}
		var ok bool
		if at, ok = afterComma(text, at); !ok {
			return 0, false
		}
	}
	return 0, false
}

// afterComma returns the start of the text after the value at text[at] and the
// comma that follows it.
func afterComma(text []byte, at int) (int, bool) {
	end, err := jsonspan.ValueEnd(text, at)
	if err != nil {
		return 0, false
	}
	if at = jsonspan.SkipBlank(text, end); at >= len(text) || text[at] != ',' {
		return 0, false
	}
	return jsonspan.SkipBlank(text, at+1), true
}
