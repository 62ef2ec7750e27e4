// Package language describes programming languages as data: their comments, strings and
// the meaning of the words that begin their statements.
//
// A Language is the description, a Vocabulary is the form that the scanner reads. The
// package contains no rules that need more than one word of a text.
package language

import "strings"

// Language describes a programming language.
type Language struct {
	Name         string
	Files        string // extensions; "ts=typescript" names a dialect
	Interpreters string // programs in the first line of a script

	LineComments   []string  // marks of comments that end with the line
	BlockComment   [2]string // opening and closing mark
	NestedComments bool      // block comments nest
	Quotes         []Quote
	Hole           string // begins code in a string; "{" only in a string after $
	Syntax         Syntax

	Indented          bool     // indentation nests, brackets only join lines
	Semicolons        bool     // a statement ends with ; or }
	FoldCase          bool     // words are case-insensitive
	NestedFunctions   bool     // functions are defined in functions
	NameBytes         string   // bytes of names besides letters, digits and _
	Attributes        []string // prefixes of lines that belong to the definition below
	Continue          string   // words that continue the statement above
	Modify            string   // words that may precede the defining word
	Define            string   // "word=kind" of the defining words; "word" alone defines a function
	DefineCalls       string   // as Define, for calls whose first string is the name
	AfterName         string   // bytes of which one follows the name of a function; empty: any
	BareFunctions     bool     // a name, parentheses and a body define a function
	AssignedFunctions bool     // a function may be an assigned value
	Control           string   // other words that begin a statement
	ByNameOnly        bool     // only a file name identifies the language
}

// Quote is one way to write a string.
type Quote struct {
	Open, Close string
	Escape      byte // precedes a byte that does not end the string; 0 for none
	Multiline   bool
}

// Syntax is a set of features that few languages have.
type Syntax uint32

// The features.
const (
	Directives      Syntax = 1 << iota // lines that begin with # are for a preprocessor
	Templates                          // `text ${code} text`
	Regexes                            // /text/ unless an operand precedes it
	Characters                         // 'x', where ' may be something else
	RawParens                          // R"x(text)x"
	RawHashes                          // r#"text"#
	Verbatim                           // @"text", "" for a quote; """text""" with any number of quotes
	Heredocs                           // <<END lines END
	DollarQuotes                       // $x$ text $x$
	LongBrackets                       // [==[ text ]==]
	BracketLines                       // of an indented language: lines in brackets are no statements
	SemicolonEnds                      // of an indented language: ; ends statements
	Receivers                          // func (x Type) name
	TopLevelEdges                      // a definition in the first column is inside no braces
	HashInWords                        // # begins a comment also inside a word
	TypedVariables                     // words that define a type also begin its variables
	Properties                         // a name with a body is a value
	Selectors                          // blocks have no keywords: style sheets
	BodilessTypes                      // types need no body
	Docstrings                         // the string below a definition is its comment
	BacktickNames                      // a name may be any text between backticks
	Equations                          // name :: type and name args = value in the first column, several for one name
	ArrowAssignment                    // name <- value
	LabelledBlocks                     // word "type" "name" {
	Targets                            // name: prerequisites
	UntilNext                          // a definition extends to the next of its kind
)

// Forms are the features by which definitions are recognized without a defining word.
const Forms = Equations | LabelledBlocks | Targets | UntilNext

// Kind is the kind of a statement.
type Kind uint8

// The kinds.
const (
	Other     Kind = iota
	Function       // its body is split at blank lines
	Class          // its members are parts
	Record         // a type without functions inside
	Namespace      // a namespace or module: like a class, but not counted
	Impl           // functions of a type that is defined elsewhere: impl X for Y
	Value          // a variable, an assignment
	Table          // an object of a database

	Kinds = iota
)

// All iterates over the languages, in the order of their bits.
func All(yield func(*Language) bool) {
	for _, list := range [...][]*Language{curly, indented} {
		for _, l := range list {
			if !yield(l) {
				return
			}
		}
	}
}

// At returns the language at a position of All.
func At(i int) *Language {
	if i < len(curly) {
		return curly[i]
	}
	return indented[i-len(curly)]
}

// ByName returns the language with a name, or nil.
func ByName(name string) *Language {
	for l := range All {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Has reports whether the language has one of some features.
func (l *Language) Has(s Syntax) bool { return l.Syntax&s != 0 }

// Dialect returns the common name of the language of a file with an extension.
func (l *Language) Dialect(extension string) string {
	for word := range strings.FieldsSeq(l.Files) {
		if ext, name, ok := strings.Cut(word, "="); ok && ext == extension {
			return name
		}
	}
	return l.Name
}

// Extensions lists the extensions of all languages and the media types of programs, as
// hints that a text is code.
const Extensions = "go js mjs cjs jsx ts mts cts tsx java groovy gradle scala sbt sc dart c h cc cpp cxx c++ hh hpp hxx inl ipp m mm ino cu glsl cs rs swift kt kts" +
	" php phtml proto css scss less py pyi pyw pyx bzl star rb rake gemspec ru podspec lua sh bash zsh ksh fish zsh-theme bats sql tcl tk pl pm ex exs" +
	" hs r" +
	" text/javascript application/javascript application/typescript text/css application/sql application/x-sh text/x-shellscript text/x-python" +
	" text/x-go text/x-c text/x-c++ text/x-java-source text/x-ruby text/x-rust"
