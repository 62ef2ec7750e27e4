package controller

import (
	"encoding/binary"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// recordsAt is the offset of the first record in a list of prompts, after the number of
// records and the size of a record, which is larger in a later host.
const recordsAt = 8

// promptRecord is one prompt in the list. Its fields are words of 4 bytes.
type promptRecord []byte

// The fields. A span is two of them.
const (
	fieldName       = 0
	fieldSummary    = 2
	fieldChapters   = 4
	fieldProject    = 6
	fieldLink       = 8
	fieldRef        = 10
	fieldPriority   = 12
	fieldBytes      = 13
	fieldLinkStatus = 14
	hashAt          = 64
)

func (r promptRecord) number(field int) int { return int(binary.LittleEndian.Uint32(r[4*field:])) }

// cut returns a span of a text that starts at an offset of the list.
func (r promptRecord) cut(text string, start, field int) string {
	from, to := r.number(field)-start, r.number(field+1)-start
	if from < 0 || from > to || to > len(text) {
		return "" // no host returns such a span
	}
	return text[from:to]
}

func (r promptRecord) hash() string {
	const digits = "0123456789abcdef"
	var text [2 * raw.HashSize]byte
	known := false
	for i, c := range r[hashAt : hashAt+raw.HashSize] {
		known = known || c != 0
		text[2*i], text[2*i+1] = digits[c>>4], digits[c&15]
	}
	if !known {
		return ""
	}
	return string(text[:])
}

func (r promptRecord) linkStatus() string {
	switch int32(r.number(fieldLinkStatus)) {
	case raw.LinkAlive:
		return "alive"
	case raw.LinkDead:
		return "dead"
	case raw.LinkUnknown:
		return "unknown"
	}
	return ""
}
