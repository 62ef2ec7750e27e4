package lex

import (
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// Actions of the lexer at a byte. The actions of eight bytes, each shifted by its position,
// fit into one word.
const (
	actStop  = 1       // line ends and bytes that may begin a comment or a string
	actOpen  = 1 << 8  // opening brackets
	actClose = 1 << 16 // closing brackets
)

// Meanings of a mark that begins with a byte.
const (
	mayComment = 1 << iota
	maySpecial // a string or quote that few languages have
	mayString
)

// specials are the bytes that begin the strings of few languages.
var specials = [...]struct {
	of    language.Syntax
	first string
}{
	{language.Templates, "`"}, {language.Regexes, "/"}, {language.Characters, "'"},
	{language.RawParens | language.RawHashes | language.Verbatim, `"`},
	{language.Heredocs, "<"}, {language.DollarQuotes, "$"}, {language.LongBrackets, "["},
}

// marks are the bytes at which the lexer of a language acts.
type marks struct {
	action [256]uint32
	may    [256]uint8
	ends   []byteset.Set // by quote: the bytes to look at in a string
	rows   bool          // rows of data may be below a statement
}

func (m *marks) init(v *language.Vocabulary) {
	add := func(mark string, may uint8) {
		if mark != "" {
			m.action[mark[0]] = actStop
			m.may[mark[0]] |= may
		}
	}
	for _, s := range v.LineComments {
		add(s, mayComment)
	}
	m.ends = make([]byteset.Set, len(v.Quotes))
	for i, q := range v.Quotes {
		add(q.Open, mayString)
		ends := &m.ends[i]
		ends[q.Close[0]] = 1
		if q.Escape != 0 {
			ends[q.Escape] = 1
		}
		if !q.Multiline {
			ends['\n'] = 1
		}
		if v.Hole != "" {
			ends[v.Hole[0]] = 1
		}
	}
	if v.BlockComment[0] != "\n=begin" {
		add(v.BlockComment[0], mayComment)
	}
	for _, s := range specials {
		if v.Has(s.of) {
			add(s.first, maySpecial)
		}
	}
	if !v.Indented || v.Has(language.BracketLines) {
		for _, c := range []byte("([{") {
			m.action[c] = actOpen
		}
		for _, c := range []byte(")]}") {
			m.action[c] = actClose
		}
	}
	m.action['\n'] = actStop
	m.rows = v.Has(language.DollarQuotes)
}
