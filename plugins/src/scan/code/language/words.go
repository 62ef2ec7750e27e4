package language

import "math/bits"

//go:generate go test -run TestWordTables -update

// The words of all languages are in one table, which a test generates: building maps of
// them at each call takes longer in Wasm than reading a text of some kilobytes. The table
// has buckets, most of which are empty for the words of a text.

// Role is the meaning of a word at the start of a statement.
type Role uint8

// The roles.
const (
	Unknown   Role = iota
	Defines        // defines the name that follows
	Modifies       // may precede the defining word
	Describes      // calls a function whose first string is the name of a definition
	Controls       // begins a statement
	Continues      // continues the statement above
)

// Word is the meaning of a word to one language.
type Word struct {
	Role Role
	Kind Kind // of the definition that the word begins
}

// Entry is a word with its meaning to each language.
type Entry struct {
	text string
	of   uint32 // languages that have the word, a bit for each
	from uint16 // meaning to the first of them, in wordMeans

	// Define and Other are the languages, a bit for each, of which the word is evidence:
	// as one that defines or modifies, and as any other. A word may be both.
	Define, Other uint32
}

const (
	bucketBits = 9  // of the number of a bucket
	maxWord    = 24 // length of the longest word
)

// bucketOf returns the bucket of a word. The first, the middle and the last byte and the
// length distinguish most words.
func bucketOf[T string | []byte](word T) uint {
	n := len(word)
	return (uint(word[0])*37 ^ uint(word[n/2])*11 ^ uint(word[n-1])*3 ^ uint(n)<<6) % (1 << bucketBits)
}

// Lookup returns the entry of a word, or nil if no language has it.
func Lookup(word []byte) *Entry {
	at := bucketOf(word)
	for i := wordStart[at]; i < wordStart[at+1]; i++ {
		if e := &wordList[i]; e.text == string(word) {
			return e
		}
	}
	return nil
}

// LookupFold is Lookup without regard to case.
func LookupFold(word []byte) *Entry {
	if len(word) > maxWord {
		return nil
	}
	var low [maxWord]byte
	for i, c := range word {
		if c-'A' < 26 {
			c |= 0x20
		}
		low[i] = c
	}
	return Lookup(low[:len(word)])
}

// meaning returns the meaning of the word to the language with a bit.
func (e *Entry) meaning(bit uint32) Word {
	if e == nil || e.of&bit == 0 {
		return Word{}
	}
	return wordMeans[int(e.from)+bits.OnesCount32(e.of&(bit-1))]
}

// bitOf returns the bit of a language: 1 << its position in All.
func bitOf(l *Language) uint32 {
	bit := uint32(1)
	for other := range All {
		if other == l {
			return bit
		}
		bit <<= 1
	}
	return 0
}
