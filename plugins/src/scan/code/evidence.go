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
	quoted  int // begin with a quote, as most lines of JSON do
	opens   int // end with an opening bracket
	closes  int // begin with a closing bracket
	stops   int // end with a semicolon
	members int // declare a member of a type: a?: b
	tags    int // begin with a tag, also in markup
	calls   int // have a parenthesis that is not after a blank
	uses    int // call something, end with a comma, or give a property of a style sheet its value
	wordy   int // have several words in a row, and no quote before them
}

// A sample is sampleLines lines in blocks that are spread over the text. It is taken if the text has
// at least twice as many.
const (
	sampleLines = 64
	sampleBlock = 16
	sampleError = 8 // about two standard deviations of a count of that many lines
)

// leastShaped is the least number of lines of a program whose language is known by its idioms only.
const leastShaped = 5

// provesShape reports whether nearly all lines have the shape of statements. A language that is only ahead of others
// needs several of its words too.
func (e evidence) provesShape(c claim, l *language.Language) bool {
	switch {
	case e.lines < leastShaped || e.prose*12 > e.lines:
		return false
	case c.opened && e.changes > 2 && e.stops+e.opens > 2 && (e.markup-e.tags)*20 <= e.lines && (e.words+e.shaped+e.members+e.tags)*100 >= e.lines*85:
		return true // tags and members of types occur in few languages, but the first statement tells the language
	case e.markup*20 > e.lines:
		return false
	case c.strong && e.shaped*100 >= e.lines*85, c.strong && l.Has(language.Selectors) && e.provesStyle(), c.clear && l.Indented && e.provesIndented():
		return true
	case c.opened:
		return (e.changes > 2 || e.found > 2) && (e.words+e.shaped)*100 >= e.lines*85
	}
	return c.clear && e.changes > 2 && e.words*10 >= e.lines && e.shaped*100 >= e.lines*92
}

// provesStyle reports whether the lines are properties in nested braces. The last property of a rule needs no semicolon.
func (e evidence) provesStyle() bool {
	return e.words*4 >= e.lines && e.opens*8 >= e.lines && abs(e.opens-e.closes)*8 <= e.opens && (e.ends+e.members)*100 >= e.lines*85
}

// provesIndented is provesShape for an indented language with definitions. Its blocks may end with words; closing
// brackets are not among these.
func (e evidence) provesIndented() bool {
	words := e.words - e.closes
	return e.found > 2 && words*8 >= e.lines && e.changes*20 >= e.lines && (words+e.shaped)*100 >= e.lines*85 && e.wordy*12 <= e.lines && e.quoted*3 <= e.lines
}

// evidence counts up to about two thousand lines, without their shapes.
func (t *tree) evidence() evidence {
	e := evidence{found: t.definitions()}
	e.add(t.source, 0, len(t.lines), t.step())
	return e
}

func (t *tree) step() int { return 1 + len(t.lines)/2000 }

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
		if lineEnds.Has(l.Last) {
			e.ends++
		} else if isPlainText(s.b[l.Code:min(len(s.b), int(l.Code)+100)]) && !isAction(s.b[l.Code:lines.End(s.b, int(l.Code))]) {
			e.prose++
		}
	}
}

// addShapes counts the shapes of every step-th line. They are needed only if the words prove nothing.
func (e *evidence) addShapes(s *source, step int) {
	for i := 0; i < len(s.lines); i += step {
		l := &s.lines[i]
		if l.Flags&lex.Comment != 0 {
			continue
		}
		text := s.b[l.Code:lines.End(s.b, int(l.Code))]
		if isMarkup(text) {
			e.markup++
		}
		e.addForm(l, text, s.v.Has(language.Selectors))
		if lineEnds.Has(l.Last) || isAction(text) {
			e.shaped++
		}
	}
}

// addForm counts the brackets, quotes and semicolons at the ends of a line. styled reports that the language is one of
// style sheets.
func (e *evidence) addForm(l *lex.Line, text []byte, styled bool) {
	text = bytes.TrimRight(text, " \t\r\n")
	called := isCall(text)
	if called {
		e.calls++
	}
	if called || l.Last == ',' || styled && bytes.IndexByte(text, ':') >= 0 {
		e.uses++
	}
	if hasWords(text) {
		e.wordy++
	}
	switch l.Last {
	case '{', '(', '[':
		e.opens++
	case ';':
		e.stops++
	}
	switch text[0] {
	case '}', ')', ']':
		e.closes++
	case '"', '\'':
		e.quoted++
	case '<', '/':
		e.tags++
	default:
		if !lineEnds.Has(l.Last) && isMember(text, styled) {
			e.members++
		}
	}
}

// leastFormed is the least number of lines of a program that is known by its form only.
const leastFormed = 10

// hasForm reports whether nearly all lines have the shape of statements and brackets nest them: the text is a program
// even if its words do not tell the language. Damaged JSON nests too, but quotes begin its lines; so do settings in
// braces, but they call nothing and have no commas.
func (e evidence) hasForm(c claim, l *language.Language) bool {
	switch {
	case e.lines < leastFormed || e.shaped*100 < e.lines*86 || e.prose*20 > e.lines || e.markup*20 > e.lines || e.quoted*3 > e.lines:
		return false
	case e.uses*4 < e.lines, e.wordy*12 > e.lines, e.calls*25 < e.lines && !l.Has(language.Selectors):
		return false
	case c.clear && e.changes > 2:
		return e.words*12 >= e.lines || e.hasEnds(95)
	case l.Indented:
		return false
	}
	return (e.opens+e.closes+e.stops)*8 >= e.lines && e.opens+e.stops > 1 && abs(e.opens-e.closes)*4 <= e.opens+e.closes+e.stops
}

// maxForm is the number of bytes of a line in which words and calls are searched, which bounds the time for long lines.
const maxForm = 200

// isCall reports whether a line has a parenthesis that is not after a blank, as those of remarks are.
func isCall(line []byte) bool {
	line = line[:min(len(line), maxForm)]
	for i := range line {
		if line[i] == '(' && (i == 0 || line[i-1] > ' ') {
			return true
		}
	}
	return false
}

// hasWords reports whether a line has four words of small letters in a row, and no quote before them.
func hasWords(line []byte) bool {
	words, start := 0, 0
	for i, c := range line[:min(len(line), maxForm)] {
		switch {
		case decl.Quotes.Has(c):
			return false
		case c|0x20-'a' < 26 && (i == start || c >= 'a'):
		case c == ' ' && i > start:
			if words++; words >= 4 {
				return true
			}
			start = i + 1
		default:
			words, start = 0, i+1
		}
	}
	return false
}

// isMember reports whether a line is a name, a colon and more text without blanks around a word: a: string | null. The
// name of a property of a style sheet (styled) may contain hyphens.
func isMember(line []byte, styled bool) bool {
	n := 0
	for n < len(line) && (isWordByte(line[n]) || line[n] == '$' || styled && line[n] == '-') {
		n++
	}
	rest := bytes.TrimLeft(line[n:min(len(line), n+3)], "?")
	return n > 0 && len(rest) > 1 && rest[0] == ':' && rest[1] == ' '
}

func isWordByte(c byte) bool { return c-'0' <= 9 || c|0x20-'a' < 26 || c == '_' }

func abs(n int) int { return max(n, -n) }

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
	afterName  = byteset.Of(",:=.")         // follow a word that is a name rather than a keyword
	lineEnds   = byteset.Of(";{}()[],:=\\") // last bytes of lines of code
	opensValue = byteset.Of("([{,`\"'")     // last bytes of a line that assigns a value, or begins to
	codeBytes  = byteset.Of("(){}[]=<>;$_\"'|&*")
)

// isMarkup reports whether a line begins with a mark of Markdown or of a template that hardly begins a statement.
func isMarkup(line []byte) bool {
	for _, open := range []string{"- ", "* ", "## ", "### ", "```", "| ", "<", "[", "![", "{{", "{%"} {
		if bytes.HasPrefix(line, []byte(open)) {
			return (open != "[" || bytes.Contains(line, []byte("]("))) && !isMethod(line)
		}
	}
	return false
}

// isMethod reports whether a line declares a method of Objective-C: - (void)a:(int)b;
func isMethod(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("- (")) {
		return false
	}
	end := bytes.IndexByte(line[:min(len(line), maxForm)], ')')
	return end > 0 && end+1 < len(line) && line[end+1]|0x20-'a' < 26
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
