package find

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// maxPasses is the number of steps of a query that read an array before they select from
// it: by a name, or from the end.
const maxPasses = 16

// jsonQuery finds all values that an expression means in a JSON text, in one pass, because
// each value has at most one rest of the expression. So a key that an object has twice is
// found twice, and a.b finds a key with a dot and a key in another object.
type jsonQuery struct {
	text  []byte
	steps []jsonStep // to the value that is read
	found []jsonHit
	how   reading // of the found ones
	// passes is the number of nested steps left that may read an array or object first.
	passes int
}

// jsonStep is a value on the way to another one.
type jsonStep struct {
	start int
	name  string // as an id spells it
	how   reading
}

// jsonHit is a value that a query found.
type jsonHit struct {
	start, end int
	steps      []jsonStep
}

// query returns the parts of a JSON content that a path means from the root. isFinal
// reports whether the path can mean nothing else, except a part of a string that it leads
// to.
func (j *jsonPaths) query(path string) (found []tree.Part, isFinal bool) {
	top := j.tree.Top()
	at, ok := j.start(&top)
	if !ok {
		return nil, false
	}
	for _, e := range parseExpressions(path) {
		q := jsonQuery{text: top.Source.Text, passes: maxPasses}
		_, _ = q.visit(at, e)
		found = j.partsOf(top, q.found)
		if isFinal = e.fromRoot; len(found) > 0 {
			break
		}
	}
	return found, isFinal
}

// visit adds the values that an expression means below the value at text[at], and returns
// the end of that value.
func (q *jsonQuery) visit(at int, e expression) (end int, err error) {
	if e.isEnd() {
		if end, err = jsonspan.ValueEnd(q.text, at); err == nil {
			q.add(at, end)
		}
		return end, err
	}
	s := e.next()
	switch jsonspan.KindAt(q.text, at) {
	case jsonspan.Object:
		return q.visitObject(at, e, &s)
	case jsonspan.Array:
		return q.visitArray(at, e, &s)
	}
	return jsonspan.ValueEnd(q.text, at)
}

// add records the current value. Only values with the most literal reading are kept.
func (q *jsonQuery) add(start, end int) {
	how := readsIDs
	for i := range q.steps {
		how = max(how, q.steps[i].how)
	}
	if len(q.found) > 0 && how > q.how || len(q.found) >= MaxMatches {
		return
	}
	if how < q.how {
		q.found = nil
	}
	q.how = how
	q.found = append(q.found, jsonHit{start, end, slices.Clone(q.steps)})
}

// descend visits a value with the rest of the expression.
func (q *jsonQuery) descend(at int, name string, how reading, e expression, rest string) (end int, err error) {
	q.steps = append(q.steps, jsonStep{at, name, how})
	e.rest = rest
	end, err = q.visit(at, e)
	q.steps = q.steps[:len(q.steps)-1]
	return end, err
}

func (q *jsonQuery) visitObject(at int, e expression, s *step) (end int, err error) {
	all, isAll := s.isAll()
	if isAll && s.kind == stepName {
		if q.hasKey(at, "*") {
			isAll = false
		}
		q.passes--
		defer func() { q.passes++ }()
	}
	return jsonspan.ScanMembers(q.text, at, func(literal []byte, at int) (int, error) {
		key, err := jsonspan.Unquote(literal)
		if err != nil {
			return 0, err
		}
		if isAll {
			return q.descend(at, abi.Segment(string(key)), readsSteps, e, all)
		}
		if rest, how, ok := s.matchKey(key); ok {
			return q.descend(at, abi.Segment(string(key)), how, e, rest)
		}
		return jsonspan.ValueEnd(q.text, at)
	})
}

// hasKey reports whether the object at text[at] has a key. It is false in too many nested
// steps that read an object or array first.
func (q *jsonQuery) hasKey(at int, key string) bool {
	if q.passes <= 0 {
		return false
	}
	_, ok := memberValue(q.text, at, func(literal []byte) bool { return jsonspan.KeyIs(literal, key) })
	return ok
}

func (q *jsonQuery) visitArray(at int, e expression, s *step) (end int, err error) {
	rest, isAll := s.isAll()
	how := readsSteps
	n, isPosition, fromEnd := 0, false, false
	if !isAll {
		n, rest, how, isPosition = s.position()
	}
	var named map[int]namedStep // by start
	switch {
	case isPosition && n < 0:
		fromEnd = true
		n += q.count(at)
	case !isAll && !isPosition:
		named = q.findNamed(at, s)
	}
	if fromEnd || !isAll && !isPosition {
		q.passes--
		defer func() { q.passes++ }()
	}
	i := -1
	return scanElements(q.text, at, func(at int) (int, error) {
		i++
		if isAll || isPosition && i == n {
			return q.descend(at, strconv.Itoa(i), how, e, rest)
		}
		if by, ok := named[at]; ok {
			return q.descend(at, strconv.Itoa(i), by.how, e, by.rest)
		}
		return jsonspan.ValueEnd(q.text, at)
	})
}

// scanElements calls value with the start of each element of the array at text[at]. value
// returns the end of the element. It returns the end of the array.
func scanElements(text []byte, at int, value func(at int) (end int, err error)) (end int, err error) {
	at = jsonspan.SkipBlank(text, at+1)
	for at < len(text) && text[at] != ']' {
		if at, err = value(at); err != nil {
			return 0, err
		}
		if at = jsonspan.SkipBlank(text, at); at < len(text) && text[at] == ',' {
			at = jsonspan.SkipBlank(text, at+1)
		}
	}
	return min(at+1, len(text)), nil
}

// count returns the number of elements of the array at text[at], or a negative number in too
// many nested steps that read an array first.
func (q *jsonQuery) count(at int) (n int) {
	if q.passes <= 0 {
		return -len(q.text)
	}
	_, _ = scanElements(q.text, at, func(at int) (int, error) {
		n++
		return jsonspan.ValueEnd(q.text, at)
	})
	return n
}

// namedStep is an element of an array that a step names.
type namedStep struct {
	rest string
	how  reading
}

// findNamed returns the elements of the array at text[at] that a step names by one of
// namingKeys: those that the first of these keys names.
func (q *jsonQuery) findNamed(at int, s *step) map[int]namedStep {
	if q.passes <= 0 || s.kind != stepName && s.kind != stepQuoted {
		return nil
	}
	var found [len(namingKeys)]map[int]namedStep
	jsonspan.Children(q.text, at, func(element jsonspan.Member) bool {
		if jsonspan.KindAt(q.text, element.Start) != jsonspan.Object {
			return true
		}
		jsonspan.Children(q.text, element.Start, func(m jsonspan.Member) bool {
			isKey := func(key string) bool { return jsonspan.KeyIs(q.text[m.KeyStart:m.KeyEnd], key) }
			rank := slices.IndexFunc(namingKeys[:], isKey)
			if rank < 0 || jsonspan.KindAt(q.text, m.Start) != jsonspan.String {
				return true
			}
			name, err := jsonspan.Unquote(q.text[m.Start:m.End])
			if err != nil {
				return true
			}
			if rest, how, ok := s.matchKey(name); ok {
				if found[rank] == nil {
					found[rank] = map[int]namedStep{}
				}
				found[rank][element.Start] = namedStep{rest, how}
			}
			return true
		})
		return true
	})
	for _, elements := range found {
		if len(elements) > 0 {
			return elements
		}
	}
	return nil
}

// partsOf returns the parts for some values. Values with the same path, which are those of a
// key that an object has twice, are named by their bytes.
func (j *jsonPaths) partsOf(top tree.Part, hits []jsonHit) (parts []tree.Part) {
	names := map[string]int{}
	ends := map[int]int{} // of values that contain a hit, by start
	for i := range hits {
		p := j.partOf(top, &hits[i], ends)
		if len(hits) > 1 && p.Kind == tree.KindValue {
			names[ids.Name(j.tree, &p)]++
		}
		parts = append(parts, p)
	}
	for i, p := range parts {
		if names[ids.Name(j.tree, &p)] > 1 && p.Kind == tree.KindValue {
			if named, ok := ids.ParseSpan(j.tree, fmt.Sprintf("~B%d-%d", p.Start, p.End)); ok {
				parts[i] = named
			}
		}
	}
	return parts
}

// partOf returns the part for a value: the Section that is exactly the value, else the
// value below the innermost Section that is a value on the way to it. ends caches the ends of
// values, because many hits are in the same ones.
func (j *jsonPaths) partOf(top tree.Part, hit *jsonHit, ends map[int]int) tree.Part {
	base, below := top, hit.steps
	for at := top; ; {
		inner, ok := j.innermost(&at, hit.start, hit.end)
		if !ok {
			break
		}
		at = inner
		i := slices.IndexFunc(hit.steps, func(s jsonStep) bool { return s.start == at.Start })
		if i < 0 {
			continue
		}
		end, known := ends[at.Start]
		if !known {
			end, _ = jsonspan.ValueEnd(top.Source.Text, at.Start)
			ends[at.Start] = end
		}
		if end == at.End {
			base, below = at, hit.steps[i+1:]
		}
	}
	if len(below) == 0 {
		return base
	}
	tail := ""
	for _, s := range below {
		tail += "/" + s.name
	}
	return tree.Derive(tree.KindValue, &base, hit.start, hit.end, tail)
}

// innermost returns the Section in the bytes of p that contains a span.
func (j *jsonPaths) innermost(p *tree.Part, start, end int) (tree.Part, bool) {
	list := j.tree.Cover(p.Section)
	n, found := slices.BinarySearchFunc(list, start, func(i int32, start int) int {
		from, _ := j.tree.Place(i)
		return from - start
	})
	if !found {
		n--
	}
	if n < 0 {
		return tree.Part{}, false
	}
	q := j.tree.Part(list[n])
	return q, q.Source == p.Source && q.Start <= start && end <= q.End
}
