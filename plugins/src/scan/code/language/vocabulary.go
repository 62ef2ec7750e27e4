package language

// Vocabulary is a language prepared for reading a text.
type Vocabulary struct {
	*Language
	Dialect string    // common name of the language of the text
	Ident   [256]bool // bytes of names
	bit     uint32    // of the language in the tables of words
}

// idents are the bytes of names in all languages.
var idents = func() (set [256]bool) {
	for c := range set {
		set[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
	}
	return set
}()

// NewVocabulary returns the vocabulary of a language.
func NewVocabulary(l *Language) *Vocabulary {
	v := &Vocabulary{Language: l, Dialect: l.Name, bit: bitOf(l), Ident: idents}
	for i := range len(l.NameBytes) {
		v.Ident[l.NameBytes[i]] = true
	}
	return v
}

// Look returns the meaning of a word.
func (v *Vocabulary) Look(word []byte) Word {
	switch {
	case len(word) == 0 || len(word) > maxWord:
		return Word{}
	case v.FoldCase:
		return LookupFold(word).meaning(v.bit)
	}
	return Lookup(word).meaning(v.bit)
}

// WordAt returns the word at an offset, including a # or @ before it: #include, @media.
// If there is no word, it returns the byte there.
func (v *Vocabulary) WordAt(b []byte, at int) []byte {
	return b[at:v.WordEnd(b, at, len(b))]
}

// WordEnd returns the offset after the word at an offset, at most end.
func (v *Vocabulary) WordEnd(b []byte, at, end int) int {
	start := at
	if at < end && (b[at] == '#' || b[at] == '@') {
		at++
	}
	for at < end && (v.Ident[b[at]] || b[at] == '-' && b[start] == '@') {
		at++
	}
	if at == start && at < end {
		at++
	}
	return at
}
