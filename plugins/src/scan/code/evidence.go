package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// evidence counts the lines that suggest that a text is code of a language.
type evidence struct {
	lines   int // of code
	words   int // begin with a word of the language
	changes int // begin with another word of the language than the line before
	ends    int // end like statements of the language
	prose   int // contain only words and blanks
	found   int // definitions
	markup  int // begin like a list, a heading or a fence of Markdown
	shaped  int // end like statements, or begin like an assignment or a call
}

// A sample is sampleLines lines in blocks that are spread over the text. It is taken if the text has
// at least twice as many.
const (
	sampleLines = 64
	sampleBlock = 16
	sampleError = 8 // about two standard deviations of a count of that many lines
)

// isProven reports whether the lines are those of a program. Most programs are so clear that a
// sample proves it.
func (t *tree) isProven(c claim) bool {
	if len(t.lines) >= 2*sampleLines && t.sampleEvidence().proves(t.v.Language, c.named) {
		return true
	}
	e := t.evidence()
	return e.proves(t.v.Language, c.named) || e.provesShape(c)
}

// leastShaped is the least number of lines of a program whose language is known by its idioms only.
const leastShaped = 5

// provesShape reports whether nearly all lines have the shape of statements. A language that is only ahead of others
// needs several of its words too.
func (e evidence) provesShape(c claim) bool {
	switch {
	case e.lines < leastShaped || e.prose*12 > e.lines || e.markup*20 > e.lines:
		return false
	case c.strong && e.shaped*100 >= e.lines*85:
		return true
	case c.opened:
		return e.changes > 2 && (e.words+e.shaped)*100 >= e.lines*85
	}
	return c.clear && e.changes > 2 && e.words*10 >= e.lines && e.shaped*100 >= e.lines*92
}

// evidence counts up to about two thousand lines.
func (t *tree) evidence() evidence {
	e := evidence{found: t.definitions()}
	e.add(t.source, 0, len(t.lines), 1+len(t.lines)/2000)
	return e
}

// sampleEvidence counts the lines of a sample, minus the error of a sample, so that all lines
// would prove no less.
func (t *tree) sampleEvidence() (e evidence) {
	const blocks = sampleLines / sampleBlock
	for i := range blocks {
		from := i * (len(t.lines) - sampleBlock) / (blocks - 1)
		e.add(t.source, from, from+sampleBlock, 1)
	}
	for _, n := range [...]*int{&e.words, &e.ends, &e.changes} {
		*n = max(0, *n-sampleError)
	}
	e.prose += sampleError / 2
	e.found = min(1, t.definitions())
	return e
}

// add counts every step-th line of lines[from:to].
func (e *evidence) add(s *source, from, to, step int) {
	var last []byte
	for i := from; i < to; i += step {
		l := &s.lines[i]
		if l.Flags&lex.Comment != 0 {
			continue
		}
		e.lines++
		word := s.firstWord(l)
		if next := int(l.Code) + len(word); s.isUsedAs(s.v.Look(word).Role, next) {
			e.words++
			if !bytes.Equal(word, last) && (next == len(s.b) || !afterName.Has(s.b[next]) && !isAssigned(s.b[next:])) {
				e.changes++
			}
			last = word
		}
		text := s.b[l.Code:lines.End(s.b, int(l.Code))]
		if isMarkup(text) {
			e.markup++
		}
		if lineEnds.Has(l.Last) {
			e.ends++
			e.shaped++
		} else if isAction(text) {
			e.shaped++
		} else if isPlainText(s.b[l.Code:min(len(s.b), int(l.Code)+100)]) {
			e.prose++
		}
	}
}

// isAssigned reports whether a text begins with a blank and a sign of assignment: the word before it is a name.
func isAssigned(b []byte) bool { return len(b) > 2 && b[0] == ' ' && b[1] == '=' && b[2] == ' ' }

// isUsedAs reports whether a word that ends at an offset is used in its role: test "x", not
// "test passed".
func (s *source) isUsedAs(r language.Role, end int) bool {
	if r != language.Describes {
		return r != language.Unknown
	}
	rest := bytes.TrimLeft(s.b[end:min(len(s.b), end+8)], " (")
	return len(rest) > 0 && (decl.Quotes.Has(rest[0]) || rest[0] == '.')
}

var (
	afterName = byteset.Of(",:=.")         // follow a word that is a name rather than a keyword
	lineEnds  = byteset.Of(";{}()[],:=\\") // last bytes of lines of code
	codeBytes = byteset.Of("(){}[]=<>;$_\"'|&*")
)

// isMarkup reports whether a line begins with a mark of Markdown that hardly begins a statement.
func isMarkup(line []byte) bool {
	for _, open := range []string{"- ", "* ", "## ", "### ", "```", "| ", "<", "[", "!["} {
		if bytes.HasPrefix(line, []byte(open)) {
			return open != "[" || bytes.Contains(line, []byte("]("))
		}
	}
	return false
}

// isAction reports whether a line begins like an assignment or a call: a.b = c, a(b, .c(, a "b".
func isAction(line []byte) bool {
	n := 0
	for n < len(line) && (line[n]-'0' <= 9 || line[n]|0x20-'a' < 26 || bytes.IndexByte([]byte("_.$@:?!->"), line[n]) >= 0) {
		n++
	}
	if n > 1 && n < len(line) && line[n] == '(' {
		return true
	}
	rest := bytes.TrimLeft(line[n:], " \t")
	switch {
	case n == 0 || len(rest) < 2:
		return false
	case len(rest) < len(line)-n && decl.Quotes.Has(rest[0]): // include 'a'
		return true
	}
	isQuoted := decl.Quotes.Has(rest[1]) || rest[1] == '$' || rest[1] == '('
	return rest[0] == '=' && (isQuoted || len(rest) < len(line)-n) || bytes.IndexByte([]byte("+-|?:<&"), rest[0]) >= 0 && rest[1] == '='
}

// isPlainText reports whether a line has at least five words and no byte that is typical of code.
func isPlainText(text []byte) bool {
	words, in := 0, false
	for _, c := range text {
		switch {
		case c == '\n':
			return words >= 5
		case c <= ' ':
			in = false
		case codeBytes.Has(c):
			return false
		case !in:
			words, in = words+1, true
		}
	}
	return words >= 5
}

// proves reports whether the evidence is enough for a language. named reports that a file name
// claims the language, which needs less.
func (e evidence) proves(l *language.Language, named bool) bool {
	few := 4 // one line in this many may look like prose
	if named && !l.Indented {
		few = 2
	}
	switch {
	case e.lines == 0 || e.prose*few > e.lines:
		return false
	case named:
		return e.provesNamed(l)
	case l.Has(language.Selectors):
		return e.words*4 >= e.lines && e.hasEnds(85)
	case e.found == 0 && l.FoldCase && e.lines >= leastShaped && e.words*10 >= e.lines*9 && e.hasEnds(95):
		return true // INSERT INTO a VALUES (1);
	case e.found == 0:
		return e.hasMixedWords() && (l.Indented && e.changes*5 >= e.lines || e.hasEnds(50))
	case l.FoldCase:
		return e.words*4 >= e.lines || e.found > 2 && e.hasEnds(90)
	case l.Indented:
		return e.words*4 >= e.lines || e.words*6 >= e.lines && e.changes*20 >= e.lines && e.prose*10 <= e.lines
	}
	return e.hasMixedWords() || e.provesBraced()
}

// hasMixedWords reports whether two in five lines begin with a word of the language, and not all with
// the same.
func (e evidence) hasMixedWords() bool { return e.words*5 >= e.lines*2 && e.changes*8 >= e.lines }

// hasEnds reports whether a percentage of the lines end like statements.
func (e evidence) hasEnds(percent int) bool { return e.ends*100 >= e.lines*percent }

// provesBraced is proves for a language of braces in which definitions were found.
func (e evidence) provesBraced() bool {
	return e.words*8 >= e.lines && e.hasEnds(50) ||
		e.found > 1 && e.words*100 >= e.lines && e.hasEnds(75) ||
		e.found > 3 && e.found*6 >= e.lines
}

// provesNamed is proves for a text whose name claims the language.
func (e evidence) provesNamed(l *language.Language) bool {
	switch {
	case l.Has(language.Selectors):
		return e.ends*3 >= e.lines*2
	case e.words == 0:
		return false
	case l.Indented:
		return e.found > 0 && e.words*20 >= e.lines || e.words*4 >= e.lines || (e.words+e.ends)*2 >= e.lines && e.words*30 >= e.lines || e.ends*10 >= e.lines*9
	}
	return e.found > 0 && (e.words+e.ends)*8 >= e.lines ||
		e.ends > 0 && e.prose*10 <= e.lines || (e.words+e.ends)*2 >= e.lines
}
