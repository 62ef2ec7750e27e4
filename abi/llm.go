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
	Module     string // hash of who asks, for its daily budget; no part of the key
	Tier       int    // TierFast or TierHeavy
	MaxTokens  int
	JSON       bool // the answer must be JSON
	Background bool // goes on when the run has ended; no part of the key
	System     string
	Parts      []LLMPart
}

// LLMPart is a piece of a request: the author's words, or content as data.
type LLMPart struct {
	Text   []byte
	Quoted bool
}

// LLMAnswer is what an LLM answered.
type LLMAnswer struct {
	Text []byte
	Cut  bool // at MaxTokens
}

// LLMCall is one asker's part in a request that is under way.
type LLMCall interface {
	// Done is closed when there is an answer or an error.
	Done() <-chan struct{}
	// Answer may be called once Done is closed. Errors: ErrLimit, ErrUnavailable,
	// context.DeadlineExceeded; any other is the LLM's own.
	Answer() (LLMAnswer, error)
}

// LLMPostponed is an LLMCall that knows when waiting is in vain.
type LLMPostponed interface {
	// Postponed is closed while the answer is known to take longer than any guest
	// may wait: who was asked wants no request for a time. It may still come.
	Postponed() <-chan struct{}
}

// Key names the answer to a request in the store of a project: SHA-256 over who
// answers (provider, model and parameters in one string) and all that is sent.
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

// Prompt is the request's text for a model: the parts in order, content between
// marks that do not occur in it.
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

// quoteMark finds a mark that cannot be closed from inside.
func quoteMark(text []byte) string {
	mark := "content"
	for n := 2; bytes.Contains(text, []byte("/"+mark+">")) || bytes.Contains(text, []byte("<"+mark+">")); n++ {
		mark = "content-" + strconv.Itoa(n)
	}
	return mark
}
