package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
)

// cut is the beginning of a block, an item or a row. A text may have one for every
// dozen bytes, so a cut is small.
type cut struct {
	at   int32
	tag  int32 // the tag that names the part; for a script or style the position of its content in scanner.bodies
	rank int8  // depth: a cut ends the earlier parts with at least its rank
	kind cutKind
}

type cutKind uint8

const (
	atTag  cutKind = iota
	atText         // after a list or table, not at a tag
	atBody         // at the tag of a script or style
)

// blockRank and itemRank return the ranks of cuts inside the open lists and tables.
func (s *scanner) blockRank() int8 { return int8(2*len(s.holders) + 1) }
func (s *scanner) itemRank() int8  { return int8(max(1, 2*len(s.holders))) }

// addCut adds a cut, unless there are too many.
func (s *scanner) addCut(c cut) {
	s.afterHolder, s.wrapped = false, false
	if len(s.cuts) >= s.maxCuts {
		return
	}
	if len(s.cuts) == cap(s.cuts) {
		s.cuts = grow.Slice(s.cuts, int(c.at), len(s.b), s.maxCuts)
	}
	s.cuts = append(s.cuts, c)
}

// readRaw reads the content of an element that has no tags inside, such as a script.
func (s *scanner) readRaw(start, end int, k uint64, info tagInfo) {
	name := s.b[start+1 : nameEnd(s.b, start+1)]
	body := span{int32(end), int32(endTag(s.b, end, name))}
	s.at = int(body.end)
	if k == keyTitle && s.title == (span{}) && len(s.headings) == 0 {
		s.title = body
	}
	if info&block == 0 {
		s.cutAfterHolder(start)
		return
	}
	c := cut{at: int32(start), tag: int32(start), rank: s.blockRank()}
	isCode := k == keyScript || k == keyStyle
	if isCode {
		c.kind, c.tag = atBody, int32(len(s.bodies))
		s.bodies = append(s.bodies, body)
	}
	s.addCut(c)
	s.afterHolder = isCode
}

// endTag returns the offset of the next end tag of the given name, len(b) if there is
// none.
func endTag(b []byte, at int, name []byte) int {
	for {
		n := bytes.Index(b[at:], []byte("</"))
		if n < 0 {
			return len(b)
		}
		at += n
		if rest := b[at+2:]; len(rest) >= len(name) && bytes.EqualFold(rest[:len(name)], name) && nameEnd(b, at+2) == at+2+len(name) {
			return at
		}
		at += 2
	}
}
