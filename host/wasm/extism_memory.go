package wasm

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/experimental"
)

// sharedMemory is the memories of one plugin of Extism, under one limit: first that
// of Extism's kernel, which holds input, output and all texts between, then the
// guest's own.
type sharedMemory struct {
	limit    uint64
	spares   *spares
	memories []*memory
}

func withAllocator(ctx context.Context, a experimental.MemoryAllocator) context.Context {
	return experimental.WithMemoryAllocator(ctx, a)
}

// Allocate implements experimental.MemoryAllocator.
func (s *sharedMemory) Allocate(_, _ uint64) experimental.LinearMemory {
	m := &memory{spares: s.spares}
	s.memories = append(s.memories, m)
	return &sharer{m, s}
}

func (s *sharedMemory) used() (total uint64) {
	for _, m := range s.memories {
		total += uint64(len(m.buf))
	}
	return total
}

// guest is the memory of the guest itself.
func (s *sharedMemory) guest() *memory { return s.memories[len(s.memories)-1] }

// The root of the kernel's memory: where it says how many bytes behind the root are in
// use, all of which it clears for a call.
//
// Source: extism/extism, kernel/src/lib.rs, MemoryRoot, which stands at address 1.
const (
	kernelInUse = 1 + 8
	kernelTexts = 1 + 64
)

// rootLost reports whether a guest has made the root say what cannot be. To call its
// entry then, the SDK would fail, and say so on the standard output of the process.
func (s *sharedMemory) rootLost() bool {
	kernel := s.memories[0].buf
	return len(kernel) < kernelTexts || binary.LittleEndian.Uint64(kernel[kernelInUse:]) > uint64(len(kernel)-kernelTexts)
}

// refusedKernel reports whether the kernel did not get memory that it asked for. It
// goes on all the same, and so does the guest.
func (s *sharedMemory) refusedKernel() bool { return s.memories[0].refused }

// sharer is one of the memories.
type sharer struct {
	*memory
	all *sharedMemory
}

// Reallocate implements experimental.LinearMemory.
func (m *sharer) Reallocate(size uint64) []byte {
	m.limit = m.all.limit - (m.all.used() - uint64(len(m.buf)))
	return m.memory.Reallocate(size)
}
