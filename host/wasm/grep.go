package wasm

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// Bounds of a search. A pattern's steps are what its repeats expand to; steps
// times bytes is what the search may cost at worst, some 18 ns each. Up to
// quickCost, 0.3 s, it runs at full speed and cannot be stopped; above, it looks
// at the clock as it goes, which costs up to twice as much.
const (
	patternSteps = 20_000
	quickCost    = 1 << 24
	tryCost      = 16      // bytes that are searched in the time that it takes to begin
	matchBatch   = 1 << 16 // matches that the engine lists at one time: 100 B each
)

func bufGrep(r *run, a args) int32 {
	pattern, out := r.text(a, 2), r.text(a, 5)
	data, ok := r.tail(a.i32(0), a.i32(1))
	if !ok {
		return badArg
	}
	if !r.pattern(pattern, a.i32(4)) {
		return badArg
	}
	found := matchList{out: out, off: a.i32(1)}
	if err := r.search(&r.grep, data, &found); err != nil {
		return r.refuse(abi.CodeBadArg, "%v", err)
	}
	return found.n
}

// matchList writes matches to guest memory, as long as there is room.
type matchList struct {
	out []byte
	off int32 // of the data in its buffer
	n   int32
}

func (l *matchList) room() int { return len(l.out) / abi.MatchRecordSize }

func (l *matchList) add(start, end int) {
	binary.LittleEndian.PutUint32(l.out, uint32(int(l.off)+start))
	binary.LittleEndian.PutUint32(l.out[4:], uint32(int(l.off)+end))
	l.out = l.out[abi.MatchRecordSize:]
	l.n++
}

// batch adds the next matches in data, which begins at byte at. It reports
// whether there may be more, and gives the last one.
func (l *matchList) batch(re *regexp.Regexp, data []byte, at int) (last []int, more bool) {
	most := min(l.room(), matchBatch)
	if most == 0 {
		return nil, false
	}
	found := re.FindAllIndex(data, most)
	for _, m := range found {
		l.add(at+m[0], at+m[1])
	}
	if len(found) < most || l.room() == 0 {
		return nil, false
	}
	return found[most-1], true
}

func (r *run) search(p *compiledPattern, data []byte, l *matchList) error {
	switch {
	case p.literal != "":
		r.literalSearch(p.literal, data, l)
		return nil
	case p.steps*len(data) <= quickCost:
		last, more := l.batch(p.re, data, 0)
		if !more {
			return nil
		}
		return r.slowSearch(p, data, last, l)
	}
	return r.slowSearch(p, data, nil, l)
}

// literalSearch finds a pattern that is plain text, without an engine.
func (r *run) literalSearch(text string, data []byte, l *matchList) {
	needle := []byte(text)
	for at := 0; l.room() > 0; {
		if l.n%matchBatch == 0 {
			r.mustGoOn()
		}
		found := index(data[at:], needle)
		if found < 0 {
			return
		}
		l.add(at+found, at+found+len(needle))
		at += found + len(needle)
	}
}

// pattern sets r.grep to a compiled pattern: the one before if it is the same.
func (r *run) pattern(text []byte, flags int32) bool {
	const all = abi.GrepIgnoreCase | abi.GrepLines | abi.GrepDotAll | abi.GrepLiteral
	switch {
	case flags&^all != 0:
		r.refuse(abi.CodeBadArg, "grep flags %d", flags)
		return false
	case len(text) > abi.LimitPatternBytes:
		r.refuse(abi.CodeBadArg, "pattern of %d bytes, limit %d", len(text), abi.LimitPatternBytes)
		return false
	}
	if flags == abi.GrepLiteral && len(text) > 0 && utf8.Valid(text) {
		r.grep = compiledPattern{literal: string(text)}
		return true
	}
	expr := string(text)
	if flags&abi.GrepLiteral != 0 {
		expr = regexp.QuoteMeta(expr)
	}
	if set := flagNames(flags); set != "" {
		expr = "(?" + set + ")" + expr // and no group round it, which a pattern could close
	}
	if r.grep.re != nil && r.grep.expr == expr {
		return true
	}
	p, err := compilePattern(expr)
	if err != nil {
		r.refuse(abi.CodeBadArg, "%v", err)
		return false
	}
	r.grep = p
	return true
}

// compiledPattern is the last pattern of a run: guests page through matches.
type compiledPattern struct {
	expr    string
	re      *regexp.Regexp
	further *regexp.Regexp // behind a match; made when it is needed
	here    *regexp.Regexp // at the place where the search begins; made when it is needed
	steps   int
	literal string // if it is not empty: matches this and nothing else
	prefix  []byte // with which each match begins, whatever stands before it
}

func compilePattern(expr string) (compiledPattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return compiledPattern{}, err
	}
	steps := expanded(tree)
	if steps > patternSteps {
		return compiledPattern{}, fmt.Errorf("pattern of %d steps with its repeats, limit %d", steps, patternSteps)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return compiledPattern{}, err
	}
	p := compiledPattern{expr: expr, re: re, steps: steps}
	if prefix, whole := re.LiteralPrefix(); whole {
		p.literal = prefix
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return compiledPattern{}, err
	}
	prefix, _ := prog.Prefix() // of the regexp itself it may hold at the beginning of the text only
	p.prefix = []byte(prefix)
	return p, nil
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

// slowSearch goes on behind the match before, nil at the start, as FindAllIndex
// would, with an eye on the clock. Each search but the first starts one character
// before the end of the last match, which an added prefix swallows, so that ^ and
// \b see the same text as in FindAllIndex.
func (r *run) slowSearch(p *compiledPattern, data []byte, before []int, l *matchList) (err error) {
	if p.further == nil {
		if p.further, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + p.expr + `)`); err != nil {
			return err
		}
		if p.here, err = regexp.Compile(`\A(?:` + p.expr + `)`); err != nil {
			return err
		}
	}
	at, last := 0, -1
	if before != nil {
		at, last = behind(before, data), before[1]
	}
	tries := len(data)
	for l.room() > 0 && at <= len(data) {
		m := r.nextMatch(p, data, at, &tries)
		if m == nil {
			break
		}
		if m[0] != m[1] || m[0] != last { // not an empty match right behind another
			l.add(m[0], m[1])
		}
		at, last = behind(m, data), m[1]
	}
	return nil
}

// behind says where the search goes on after a match.
func behind(m []int, data []byte) int {
	at := m[1]
	if m[0] == m[1] {
		_, n := utf8.DecodeRune(data[at:])
		at += max(n, 1)
	}
	return at
}

// nextMatch is the next match that begins at at or behind it. Where matches begin with
// plain text, the engine looks only where that stands, until tries, the bytes that it
// may read in vain, have gone: no pattern makes the search longer than twice.
func (r *run) nextMatch(p *compiledPattern, data []byte, at int, tries *int) []int {
	for len(p.prefix) > 0 && *tries > 0 {
		next := index(data[at:], p.prefix)
		if next < 0 {
			return nil
		}
		at += next
		w := &watched{r: r, data: data[at:]}
		if m := p.here.FindReaderIndex(w); m != nil {
			return []int{m[0] + at, m[1] + at}
		}
		*tries -= w.at + tryCost
		at++
	}
	if at == 0 {
		return p.re.FindReaderIndex(&watched{r: r, data: data})
	}
	_, back := utf8.DecodeLastRune(data[:at])
	at -= back
	m := p.further.FindReaderSubmatchIndex(&watched{r: r, data: data[at:]})
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
	w.r.mustGoOn()
	if c := w.data[w.at]; c < utf8.RuneSelf {
		w.at++
		return rune(c), 1, nil
	}
	c, n := utf8.DecodeRune(w.data[w.at:])
	w.at += n
	return c, n, nil
}
