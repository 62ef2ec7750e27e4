package wasm

import (
	"encoding/binary"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// Bounds of a search. A pattern's steps are what its repeats expand to; steps
// times bytes is what the search may cost at worst. Up to quickCost it runs at
// full speed and cannot be stopped; above, it looks at the clock as it goes.
const (
	patternSteps = 20_000
	quickCost    = 1 << 30
)

func bufGrep(r *run, a args) int32 {
	pattern, out := r.text(a, 2), r.text(a, 5)
	data, ok := r.tail(a.i32(0), a.i32(1))
	if !ok {
		return badArg
	}
	re, steps, ok := r.pattern(pattern, a.i32(4))
	if !ok {
		return badArg
	}
	most := len(out) / abi.MatchRecordSize
	if most == 0 {
		return 0
	}
	found, err := r.matches(re, steps, data, most)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "%v", err)
	}
	for i, m := range found {
		binary.LittleEndian.PutUint32(out[i*abi.MatchRecordSize:], a.u32(1)+uint32(m[0]))
		binary.LittleEndian.PutUint32(out[i*abi.MatchRecordSize+4:], a.u32(1)+uint32(m[1]))
	}
	return int32(len(found))
}

func (r *run) matches(re *regexp.Regexp, steps int, data []byte, most int) ([][]int, error) {
	if steps*len(data) <= quickCost {
		return re.FindAllIndex(data, most), nil
	}
	return r.slowMatches(re, data, most)
}

// pattern compiles a pattern, or the one before if it is the same.
func (r *run) pattern(text []byte, flags int32) (re *regexp.Regexp, steps int, ok bool) {
	const all = abi.GrepIgnoreCase | abi.GrepLines | abi.GrepDotAll | abi.GrepLiteral
	switch {
	case flags&^all != 0:
		r.refuse(abi.CodeBadArg, "grep flags %d", flags)
		return nil, 0, false
	case len(text) > abi.LimitPatternBytes:
		r.refuse(abi.CodeBadArg, "pattern of %d bytes, limit %d", len(text), abi.LimitPatternBytes)
		return nil, 0, false
	}
	expr := string(text)
	if flags&abi.GrepLiteral != 0 {
		expr = regexp.QuoteMeta(expr)
	}
	if set := flagNames(flags); set != "" {
		expr = "(?" + set + ":" + expr + ")"
	}
	if p := &r.grep; p.re != nil && p.expr == expr {
		return p.re, p.steps, true
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		r.refuse(abi.CodeBadArg, "%v", err)
		return nil, 0, false
	}
	if steps = expanded(tree); steps > patternSteps {
		r.refuse(abi.CodeBadArg, "pattern of %d steps with its repeats, limit %d", steps, patternSteps)
		return nil, 0, false
	}
	re, err = regexp.Compile(expr)
	if err != nil {
		r.refuse(abi.CodeBadArg, "%v", err)
		return nil, 0, false
	}
	r.grep = compiledPattern{expr, re, steps}
	return re, steps, true
}

// compiledPattern is the last pattern of a run: guests page through matches.
type compiledPattern struct {
	expr  string
	re    *regexp.Regexp
	steps int
}

func flagNames(flags int32) string {
	var set string
	if flags&abi.GrepIgnoreCase != 0 {
		set += "i"
	}
	if flags&abi.GrepLines != 0 {
		set += "m"
	}
	if flags&abi.GrepDotAll != 0 {
		set += "s"
	}
	return set
}

// expanded estimates the instructions that a pattern compiles to. The parser has
// bounded the depth of re.
func expanded(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += expanded(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return n
}

// slowMatches is FindAllIndex with an eye on the clock. Each search but the
// first starts one character before the end of the last match, which an added
// prefix swallows, so that ^ and \b see the same text as in FindAllIndex.
func (r *run) slowMatches(re *regexp.Regexp, data []byte, most int) ([][]int, error) {
	further, err := regexp.Compile(`\A(?s:.)(?s:.*?)(` + re.String() + `)`)
	if err != nil {
		return nil, err
	}
	var found [][]int
	for at, last := 0, -1; len(found) < most && at <= len(data); {
		m := r.nextMatch(re, further, data, at)
		if m == nil {
			break
		}
		empty := m[0] == m[1]
		if !empty || m[0] != last { // not an empty match right behind another
			found = append(found, m)
		}
		last, at = m[1], m[1]
		if empty {
			_, n := utf8.DecodeRune(data[at:])
			at += max(n, 1)
		}
	}
	return found, nil
}

func (r *run) nextMatch(first, further *regexp.Regexp, data []byte, at int) []int {
	if at == 0 {
		return first.FindReaderIndex(&watched{r: r, data: data})
	}
	_, back := utf8.DecodeLastRune(data[:at])
	at -= back
	m := further.FindReaderSubmatchIndex(&watched{r: r, data: data[at:]})
	if m == nil {
		return nil
	}
	return []int{m[2] + at, m[3] + at}
}

// watched feeds a search and ends it by a trap once the run is out of time.
type watched struct {
	r    *run
	data []byte
	at   int
}

// ReadRune implements io.RuneReader.
func (w *watched) ReadRune() (rune, int, error) {
	if w.at >= len(w.data) {
		return 0, 0, io.EOF
	}
	if w.r.clock.out.Load() {
		panic(&trap{"guest trapped: run given up"})
	}
	if c := w.data[w.at]; c < utf8.RuneSelf {
		w.at++
		return rune(c), 1, nil
	}
	c, n := utf8.DecodeRune(w.data[w.at:])
	w.at += n
	return c, n, nil
}
