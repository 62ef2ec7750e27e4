package abi

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// LLMRequest is one request of a guest to the LLM of its project.
//
// Slices are shared, not copied: neither side modifies them.
type LLMRequest struct {
	Project    string
	Module     string // hash of the requesting module, for its daily budget; not part of the key
	Tier       int    // TierFast or TierHeavy
	MaxTokens  int
	JSON       bool // the answer must be JSON
	Background bool // continues after the run has ended; not part of the key
	System     string
	Parts      []LLMPart
}

// LLMPart is a part of a request: instructions of the author, or quoted content.
type LLMPart struct {
	Text   []byte
	Quoted bool
}

// LLMAnswer is the answer of an LLM.
type LLMAnswer struct {
	Text []byte
	Cut  bool // at MaxTokens
}

// LLMCall is a request in progress. Equal requests share one call to the LLM.
type LLMCall interface {
	// Done returns a channel that is closed when there is an answer or an error.
	Done() <-chan struct{}
	// Answer returns the answer. It may be called after Done is closed. Errors:
	// ErrLimit, ErrUnavailable, context.DeadlineExceeded; others come from the LLM.
	Answer() (LLMAnswer, error)
}

// LLMPostponed is implemented by an LLMCall that can report a long delay.
type LLMPostponed interface {
	// Postponed returns a channel that is closed if the answer will take longer than a
	// guest may wait, because the provider accepts no requests for a time. The answer
	// may still arrive.
	Postponed() <-chan struct{}
}

// Key returns the key under which the answer is stored for the project: the SHA-256 of
// identity (provider, model and parameters in one string) and of everything that is sent.
func (r LLMRequest) Key(identity string) (key [sha256.Size]byte) {
	h := sha256.New()
	field := func(b []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	field([]byte(identity))
	field([]byte{byte(r.Tier), flag(r.JSON)})
	field(strconv.AppendInt(nil, int64(r.MaxTokens), 10))
	field([]byte(r.System))
	for _, p := range r.Parts {
		field([]byte{flag(p.Quoted)})
		field(p.Text)
	}
	h.Sum(key[:0])
	return key
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Prompt returns the text of the request for a model: the parts in order, with content
// between marks that do not occur in it.
func (r LLMRequest) Prompt() []byte {
	var out []byte
	for _, p := range r.Parts {
		if !p.Quoted {
			out = append(out, p.Text...)
			continue
		}
		mark := quoteMark(p.Text)
		out = append(out, "\n<"+mark+">\n"...)
		out = append(out, p.Text...)
		out = append(out, "\n</"+mark+">\n"...)
	}
	return out
}

// quoteMark returns a mark whose tags do not occur in text.
func quoteMark(text []byte) string {
	mark := "content"
	for n := 2; bytes.Contains(text, []byte("/"+mark+">")) || bytes.Contains(text, []byte("<"+mark+">")); n++ {
		mark = "content-" + strconv.Itoa(n)
	}
	return mark
}
