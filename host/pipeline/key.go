package pipeline

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/abi"
)

// inputHashes are the hashes of the buffers that a call reads.
type inputHashes struct {
	input     [32]byte // bytes of buffer 0
	shape     [32]byte // marks of buffer 0, and buffer 5
	original  [32]byte // buffer 1
	arguments []byte   // buffer 8; the bytes, because they are few
}

// keyOf returns the cache key of a run: the SHA-256 of everything that a cacheable run can
// read, each field preceded by its length. The arguments are a field only of a role that
// reads them, so that other results are found whatever was asked. Buffer 4 is part of buffer 3. The session and
// the time are not hashed, because a run that reads them is not cached.
//
// model is the ProxyModel if the result may be one that a team shares, else "". No run reads it,
// but a producer is trusted for one ProxyModel, and its result must not be used by another one.
//
// The fields are listed in docs/abi.md.
func keyOf(s *Step, model string, x *abi.Context, h inputHashes) [32]byte {
	k := make(keyer, 0, 1024)
	k.text(abi.Version)
	k.text(s.ModuleHash)
	k.bytes(s.Config)
	k.context(x)
	k.bytes(h.input[:])
	k.bytes(h.shape[:])
	k.bytes(h.original[:])
	k.text(s.LLMIdentity)
	k.text(model)
	if s.Role.ReadsArguments() {
		k.bytes(h.arguments)
	}
	return sha256.Sum256(k)
}

// keyer is a buffer of length-prefixed fields.
type keyer []byte

func (k *keyer) bytes(b []byte) {
	*k = binary.AppendUvarint(*k, uint64(len(b)))
	*k = append(*k, b...)
}

func (k *keyer) text(s string) {
	*k = binary.AppendUvarint(*k, uint64(len(s)))
	*k = append(*k, s...)
}

func (k *keyer) int(n int) { *k = binary.AppendVarint(*k, int64(n)) }

// context adds every field of buffer 3. TestKeyDependsOnEveryField fails if a field is missing here.
func (k *keyer) context(x *abi.Context) {
	for _, s := range [...]string{
		x.ABI, x.Role, string(x.Kind), x.Hook, x.Project, string(x.ContentType), x.Source, x.MIME, x.Hint, x.Part.Kind,
	} {
		k.text(s)
	}
	for _, n := range [...]int{
		x.RoleIndex, x.Part.Index, x.Part.Count, x.Stage.Index, x.Stage.Count,
		x.Limits.OutputBytes, x.Limits.Sections, x.Limits.MemoryBytes, x.Limits.LLMMillis, x.Limits.LLMRequests,
	} {
		k.int(n)
	}
}
