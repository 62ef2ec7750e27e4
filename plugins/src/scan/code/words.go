package code

import "math/bits"

//go:generate go test -run TestTablesSayWhatTheLanguagesSay -update

// The words of all languages stand in one table, which is written by a test: in Wasm,
// to make maps of them took longer than to read a text of some kilobytes, at each
// call. They are in buckets, so that most words of a text are refused by an empty one.

// entry is a word with what it means, by language.
type entry struct {
	text string
	of   uint32 // languages that have it, each by its bit
	from uint16 // of what it means to the first of them, in wordMeans

	// What it says to a guess. One may do both.
	define, other uint32
}

// bucketBits is how many bits the number of a bucket has, maxWord is the length of the
// longest word.
const (
	bucketBits = 9
	maxWord    = 24
)

// bucket is where a word stands: the first, the middle and the last byte of it, and its
// length, tell most of them apart.
func bucket[T string | []byte](word T) uint {
	n := len(word)
	return (uint(word[0])*37 ^ uint(word[n/2])*11 ^ uint(word[n-1])*3 ^ uint(n)<<6) % (1 << bucketBits)
}

// lookup is the entry of a word, nil if no language has it.
func lookup(word []byte) *entry {
	at := bucket(word)
	for i := wordStart[at]; i < wordStart[at+1]; i++ {
		if e := &wordList[i]; e.text == string(word) {
			return e
		}
	}
	return nil
}

// in is what the word means to one language.
func (e *entry) in(bit uint32) word {
	if e == nil || e.of&bit == 0 {
		return word{}
	}
	return wordMeans[int(e.from)+bits.OnesCount32(e.of&(bit-1))]
}

// bitOf is that of a language: they are numbered as they are listed.
func bitOf(l *language) uint32 {
	bit := uint32(1)
	for other := range languages {
		if other == l {
			return bit
		}
		bit <<= 1
	}
	return 0
}
