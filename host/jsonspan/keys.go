package jsonspan

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// maxLiveKeys bounds the keys that UniqueKeys stores: those of all open objects, at most
// 32 MiB of memory.
const maxLiveKeys = 1 << 20

// smallObject is the number of keys up to which comparing all pairs is faster than sorting.
const smallObject = 12

// keyStack contains the keys of the open objects, innermost last.
type keyStack struct {
	keys  []seenKey
	marks []int // index of the first key of each open object
}

type seenKey struct {
	text []byte
	at   int
}

// keyStacks holds empty stacks, because most texts are small messages and each is scanned
// several times.
var keyStacks = sync.Pool{New: func() any {
	return &keyStack{make([]seenKey, 0, 16), make([]int, 0, 8)}
}}

func newKeyStack() *keyStack { return keyStacks.Get().(*keyStack) }

// release makes k available to other scans. It keeps neither the text nor much memory.
func (k *keyStack) release() {
	const maxKept = 256
	if cap(k.keys) > maxKept {
		return
	}
	clear(k.keys[:cap(k.keys)])
	k.keys, k.marks = k.keys[:0], k.marks[:0]
	keyStacks.Put(k)
}

func (k *keyStack) open() { k.marks = append(k.marks, len(k.keys)) }

func (k *keyStack) add(b []byte, start, end int) *SyntaxError {
	if len(k.keys) >= maxLiveKeys {
		return &SyntaxError{start, "too many keys (limit " + strconv.Itoa(maxLiveKeys) + ")"}
	}
	text := b[start+1 : end-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		var err error
		if text, err = Unquote(b[start:end]); err != nil {
			return &SyntaxError{start, "key with a lone surrogate"}
		}
	}
	k.keys = append(k.keys, seenKey{text, start})
	return nil
}

// close ends the innermost object and returns an error if it has a duplicate key.
func (k *keyStack) close() *SyntaxError {
	last := len(k.marks) - 1
	own := k.keys[k.marks[last]:]
	k.keys, k.marks = k.keys[:k.marks[last]], k.marks[:last]
	if twice, found := findDuplicate(own); found {
		return &SyntaxError{twice.at, fmt.Sprintf("duplicate key %q", clip(twice.text))}
	}
	return nil
}

func findDuplicate(keys []seenKey) (seenKey, bool) {
	if len(keys) > smallObject {
		return findDuplicateSorted(keys)
	}
	for i := range keys {
		for j := range i {
			if bytes.Equal(keys[i].text, keys[j].text) {
				return keys[i], true
			}
		}
	}
	return seenKey{}, false
}

func findDuplicateSorted(keys []seenKey) (seenKey, bool) {
	slices.SortFunc(keys, func(x, y seenKey) int { return bytes.Compare(x.text, y.text) })
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keys[i].text, keys[i-1].text) {
			if keys[i].at < keys[i-1].at {
				return keys[i-1], true
			}
			return keys[i], true
		}
	}
	return seenKey{}, false
}

// clip cuts a key for an error text.
func clip(text []byte) []byte {
	const maxBytes = 64
	if len(text) <= maxBytes {
		return text
	}
	return append(slices.Clone(text[:maxBytes]), "..."...)
}
