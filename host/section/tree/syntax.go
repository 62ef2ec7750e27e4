package tree

// Language is the knowledge about one type of content that a Tree needs.
// Package language implements it.
type Language interface {
	// Whole returns the syntax of the whole content.
	Whole(text []byte) Syntax
	// Nested returns the syntax of one Section, which may be a document of another
	// type, as JSON in YAML.
	Nested(text []byte) Syntax
	// Decoded returns the syntax of a decoded JSON string.
	Decoded(text []byte) Syntax
}

// Syntax describes how the parts of one text are separated.
type Syntax interface {
	// IsStructure reports whether a text between two parts is only structure,
	// which an index does not list.
	IsStructure(gap []byte) bool
	// IsJSON reports whether a path continues in the text with keys and positions.
	IsJSON() bool
	// HasName reports whether text contains a name, such as a tag or key.
	HasName(text []byte, name string) bool
	// Blocks returns the spans of the outermost blocks of text with a name, such as a key
	// with the lines below it, or none if the syntax declares no blocks. column
	// is that of the first byte of text, and own the name of text, or "".
	Blocks(text []byte, column int, own, name string, limit int) [][2]int
	// BlockItem returns the span of an item of the list that is the value of text. known is
	// false if it may be a list that has no lines.
	BlockItem(text []byte, column int, own string, n int) (span [2]int, ok, known bool)
}

// SyntaxIn returns the syntax of the text that home contains.
func (t *Tree) SyntaxIn(home Part) Syntax {
	switch {
	case home.Source.Kind == Decoded:
		return home.Source.syntax
	case home.Section >= 0:
		return t.language.Nested(home.Bytes())
	}
	return t.language.Whole(home.Bytes())
}
