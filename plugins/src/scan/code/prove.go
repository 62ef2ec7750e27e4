package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/guess"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// prove reports whether the lines are those of a program, and returns the evidence. Most programs are so clear that a
// sample proves it.
func (t *tree) prove(c claim) (e evidence, ok bool) {
	if len(t.lines) >= 2*sampleLines {
		if e = t.sampleEvidence(); e.proves(t.v.Language, c.named) {
			return e, true
		}
	}
	e = t.evidence()
	if e.proves(t.v.Language, c.named) {
		return e, true
	}
	if c.named && t.isCommented(e) {
		return e, true
	}
	c.opened = c.opened || c.named && guess.Opening(t.b) == t.v.Language
	e.addShapes(t.source, t.step())
	return e, e.provesShape(c, t.v.Language) || e.isRegular() && (t.isData(e, c) || t.hasStatements(e, c))
}

// isCommented reports whether nearly all lines are comments of the language, and the others are no sentences.
func (t *tree) isCommented(e evidence) bool {
	all := (len(t.lines) + t.step() - 1) / t.step()
	return all >= leastShaped && e.lines*10 <= all && e.prose*2 <= e.lines
}

// isRegular reports whether hardly any line is a sentence or begins with a mark of Markdown.
func (e evidence) isRegular() bool {
	return e.lines >= leastShaped && e.prose*12 <= e.lines && e.wordy*12 <= e.lines && (e.markup-e.tags)*20 <= e.lines
}

// isData reports whether the text assigns values: each statement that is not nested begins with a word of the language, and
// the lines of a value are lines of code. Data has few words otherwise. If a name claims an indented language, a
// statement may also begin with the name to which it assigns a value; without that claim, such a text may be settings.
func (t *tree) isData(e evidence, c claim) bool {
	if t.v.Indented && (!c.named || !e.hasEnds(85)) || (e.words+e.shaped+e.members+e.tags)*10 < e.lines*9 {
		return false
	}
	all, known, values := 0, 0, 0
	depth, step := t.statementDepth(0, len(t.lines), -1), t.step()
	for i := 0; i < len(t.lines); i += step {
		l := &t.lines[i]
		if l.Depth > depth || l.Flags&(lex.Comment|lex.Closes) != 0 || t.b[l.Code] == '.' { // .a() continues a statement
			continue
		}
		text := t.b[l.Code:min(lines.End(t.b, int(l.Code)), int(l.Code)+maxForm)]
		assigns := bytes.IndexByte(text, '=') > 0
		all++
		if t.beginsWithWord(l) || t.v.Indented && assigns && isAction(text) {
			known++
		}
		if assigns && opensValue.Has(l.Last) {
			values++
		}
	}
	return values > 0 && known*20 >= all*19
}

// beginsWithWord reports whether a line begins with a word of the language that is neither a key nor an item of a list.
func (t *tree) beginsWithWord(l *lex.Line) bool {
	word := t.firstWord(l)
	next := int(l.Code) + len(word)
	return t.isUsedAs(t.v.Look(word).Role, next) && (next == len(t.b) || t.b[next] != ':' && t.b[next] != ',')
}

// maxStatementLines is the number of lines in which statements are counted.
const maxStatementLines = 2000

// hasStatements reports whether nearly all statements that end with a semicolon begin with a word of the language. It is
// evidence only for a language with many words for statements, which are few of all words that begin lines.
func (t *tree) hasStatements(e evidence, c claim) bool {
	if !t.v.FoldCase || !c.strong && !c.named || e.stops*8 < e.lines {
		return false
	}
	all, known, begins := 0, 0, true
	for i := range t.lines[:min(len(t.lines), maxStatementLines)] {
		l := &t.lines[i]
		if l.Flags&lex.Comment != 0 {
			continue
		}
		if begins {
			all++
			if t.v.Look(t.firstWord(l)).Role != language.Unknown {
				known++
			}
		}
		begins = l.Last == ';'
	}
	return all > 3 && known*20 >= all*19
}
