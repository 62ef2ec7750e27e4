package htmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// cut is where a block, an item or a row begins. There may be one for each dozen
// bytes, so it is small.
type cut struct {
	at   int32
	tag  int32 // the tag that it is called by; of a script or style the position of what it holds in scanner.bodies
	rank int8  // how deep it lies: a cut ends those that have no smaller rank
	is   cutKind
}

type cutKind uint8

const (
	atTag  cutKind = iota
	atText         // behind a holder, no tag
	atBody         // at the tag of a script or style, which is what it is called by
)

// blockRank and itemRank are the ranks of cuts here.
func (s *scanner) blockRank() int8 { return int8(2*len(s.holders) + 1) }
func (s *scanner) itemRank() int8  { return int8(max(1, 2*len(s.holders))) }

func (s *scanner) cut(c cut) {
	s.after, s.wrapped = false, false
	if len(s.cuts) >= s.most {
		return
	}
	if len(s.cuts) == cap(s.cuts) {
		s.cuts = room.More(s.cuts, int(c.at), len(s.b), s.most)
	}
	s.cuts = append(s.cuts, c)
}

// raw passes over what holds no tags.
func (s *scanner) raw(start, end int, k uint64, info tagInfo) {
	name := s.b[start+1 : nameEnd(s.b, start+1)]
	body := span{int32(end), int32(closing(s.b, end, name))}
	s.at = int(body.end)
	if k == keyTitle && s.title == (span{}) && len(s.headings) == 0 {
		s.title = body
	}
	if info&block == 0 {
		s.begin(start)
		return
	}
	c := cut{at: int32(start), tag: int32(start), rank: s.blockRank()}
	holds := k == keyScript || k == keyStyle
	if holds {
		c.is, c.tag = atBody, int32(len(s.bodies))
		s.bodies = append(s.bodies, body)
	}
	s.cut(c)
	s.after = holds
}

// closing is where the end tag of this name begins, or the end of the text.
func closing(b []byte, at int, name []byte) int {
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
