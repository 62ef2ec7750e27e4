package syntax

import "bytes"

// PieceKind is the kind of a piece of XML.
type PieceKind uint8

// The kinds of pieces.
const (
	TextPiece PieceKind = iota
	SpacePiece
	StartPiece
	EmptyPiece // a tag of an element without an end tag
	EndPiece
	CommentPiece
	CDATAPiece
	OtherPiece // an instruction, a document type or a byte order mark
)

// NextPiece returns the kind and the end of the piece of XML at b[at]. The pieces of a text
// join to it. end is -1 if the markup there is not well-formed.
func NextPiece(b []byte, at int) (kind PieceKind, end int) {
	rest := b[at:]
	switch {
	case rest[0] != '<':
		if at == 0 && bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")) {
			return OtherPiece, 3
		}
		end = Find(b, at+1, '<', '<')
		if SkipSpace(b, at) >= end {
			return SpacePiece, end
		}
		return TextPiece, end
	case len(rest) < 2:
		return OtherPiece, -1
	case IsNameStart(rest[1]):
		end, empty := TagEnd(b, NameEnd(b, at+1))
		if empty {
			return EmptyPiece, end
		}
		return StartPiece, end
	case rest[1] == '/':
		return EndPiece, MarkEnd(b, at+2, ">")
	case rest[1] == '?':
		return OtherPiece, MarkEnd(b, at+2, "?>")
	case bytes.HasPrefix(rest, []byte("<!--")):
		return CommentPiece, MarkEnd(b, at+4, "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return CDATAPiece, MarkEnd(b, at+9, "]]>")
	}
	return OtherPiece, doctypeEnd(b, at)
}
