package code

// language is what the engine has to know of a language.
type language struct {
	name  string
	files string // extensions; "ts=typescript" names a dialect
	runs  string // interpreters in the first line of a script

	comment []string // up to the end of the line
	block   [2]string
	nests   bool // block comments nest
	quotes  []quote
	syntax  syntax

	layout  bool // indentation nests, brackets only join lines
	semi    bool // a statement ends in ; or }
	fold    bool // words are the same in upper and lower case
	inner   bool // functions are defined in functions
	names   string
	attrs   []string // how lines begin that belong to the definition below
	middle  string   // words that go on with the statement above
	modify  string   // words before the one that defines
	define  string   // "word=kind" of what defines; "word" alone is a function
	calls   string   // the same of calls that define what their first string names
	after   string   // one of these stands after the name of a function; empty: anything
	call    bool     // a function is a name, parentheses and a body
	assign  bool     // a function may be a value that is assigned
	control string   // other words that begin a statement
	told    bool     // only the name of a file says that it is this language
}

// quote is one way to write a string.
type quote struct {
	open, close string
	escape      byte // before a byte that does not end it, 0 for none
	lines       bool // it may go over several
}

// syntax is a set of what few languages have.
type syntax uint32

const (
	directives  syntax = 1 << iota // lines that begin with # are for a preprocessor
	templates                      // `text ${code} text`
	regexes                        // /text/ where no operand stands before it
	characters                     // 'x', where ' may be something else
	rawParens                      // R"x(text)x"
	rawHashes                      // r#"text"#
	verbatim                       // @"text", "" for a quote
	heredocs                       // <<END lines END
	dollars                        // $x$ text $x$
	longs                          // [==[ text ]==]
	brackets                       // in a language of layout: lines in brackets are no statements
	semiEnds                       // in a language of layout: ; ends statements
	receivers                      // func (x Type) name
	edges                          // what defines in the first column is in no braces
	hashes                         // # begins a comment also inside a word
	variables                      // words that define a type also begin its variables
	properties                     // a name with a body is a value
	selectors                      // blocks have no keywords: style sheets
	bodiless                       // types need no body
	docstrings                     // the string below a definition is its comment
	tickedNames                    // a name may be any text between backticks
	equations                      // name :: type and name args = value at the left edge, several for one name
	arrows                         // name <- value
	blocks                         // word "type" "name" {
	targets                        // name: what it is made of
	untilNext                      // what defines goes on until the next of its kind
)

// shapes are those by which definitions are told without a word.
const shapes = equations | blocks | targets | untilNext

// kind is what a statement is.
type kind uint8

const (
	other    kind = iota
	function      // its body is split where blank lines are
	class         // its members are parts
	record        // a type without functions inside
	space         // a namespace or module: as a class, but counts as none
	impl          // functions of a type that is defined elsewhere: impl X for Y
	value         // a variable, an assignment
	table         // an object of a database
)

// vocabulary is a language made ready.
type vocabulary struct {
	*language
	dialect string
	bit     uint32      // of the language in the tables of words
	ident   [256]bool   // bytes of names
	turn    [256]uint32 // what the lexer does at a byte
	may     [256]uint8  // what a mark that begins with it may be
	ends    []stops     // by quote: the bytes that are to be looked at in it
}

// word is what a word at the start of a statement means.
type word struct {
	role role
	kind kind // of one that defines
}

type role uint8

const (
	unknown role = iota
	defines
	modifies
	describes // a call that defines what its first string names
	controls
	continues // a middle word
)

// idents are the bytes of names in all languages.
var idents = func() (set [256]bool) {
	for c := range set {
		set[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
	}
	return set
}()

func newVocabulary(l *language) *vocabulary {
	v := &vocabulary{language: l, dialect: l.name, bit: bitOf(l), ident: idents}
	for i := range len(l.names) {
		v.ident[l.names[i]] = true
	}
	v.turns()
	return v
}

// look is what a word means.
func (v *vocabulary) look(b []byte) word {
	if len(b) == 0 || len(b) > maxWord {
		return word{}
	}
	if !v.fold {
		return lookup(b).in(v.bit)
	}
	var low [maxWord]byte
	return lookup(lower(&low, b)).in(v.bit)
}

// lower is a word of at most maxWord bytes in lower case, in low.
func lower(low *[maxWord]byte, word []byte) []byte {
	for i, c := range word {
		if c-'A' < 26 {
			c |= 0x20
		}
		low[i] = c
	}
	return low[:len(word)]
}
