package flow

// Keys of _meta that the host adds to its own answers. An Upstream's keys with
// this prefix are removed, so that a server cannot forge them.
const (
	MetaPrefix  = "mcpctl/"
	MetaKind    = "mcpctl/kind"
	MetaRef     = "mcpctl/ref"
	MetaSection = "mcpctl/section"
	MetaBytes   = "mcpctl/bytes"
	MetaOffers  = "mcpctl/offers"
	MetaLiteral = "mcpctl/literal"
)

// AnswerKind is the kind of an answer that the host itself writes.
type AnswerKind string

// The answer kinds of read_section and of an indexed result.
const (
	AnswerIndex   AnswerKind = "index"
	AnswerLeaf    AnswerKind = "leaf"
	AnswerDecoded AnswerKind = "decoded"
	AnswerDerived AnswerKind = "derived"
	AnswerSearch  AnswerKind = "search"
)

// AnswerMeta is the _meta of an answer of the host.
//
// Units: Bytes is [start, end) in the Original, or in the decoded string of a
// decoded leaf; Literal is then [start, end) of the JSON string in the Original,
// quotes included.
type AnswerMeta struct {
	Kind    AnswerKind `json:"mcpctl/kind,omitempty"`
	Ref     string     `json:"mcpctl/ref,omitempty"`
	Section string     `json:"mcpctl/section,omitempty"`
	Bytes   *[2]int    `json:"mcpctl/bytes,omitempty"`
	Offers  []string   `json:"mcpctl/offers,omitempty"`
	Literal *[2]int    `json:"mcpctl/literal,omitempty"`
}

// Answer is one answer of read_section.
type Answer struct {
	Text    []byte
	IsError bool
	Meta    AnswerMeta
}
