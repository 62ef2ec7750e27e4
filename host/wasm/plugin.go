package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// plugin is the guest of a module that was built for Extism.
type plugin struct {
	ctx    context.Context // of calls into the guest
	call   *imports.Call
	sdk    *extism.Plugin // nil until it is created
	shared *sharedMemory

	config   map[string]string // of the role; nil until it is read
	vars     map[string][]byte
	varBytes int
}

// pluginKey is the key of the *plugin in the context of a guest.
type pluginKey struct{}

// pluginOf returns the plugin that calls a host function.
func pluginOf(ctx context.Context) *plugin {
	p := ctx.Value(pluginKey{}).(*plugin)
	p.call.SetMemory(&p.shared.guest().Memory)
	return p
}

func (p *plugin) close() {
	if p.sdk != nil {
		p.sdk.Close(context.Background())
	}
}

// configValue returns a value of the role's config in Extism's form: strings unchanged,
// other values as JSON, and the context.
func (p *plugin) configValue(key string) (string, bool) {
	if p.config == nil {
		request := p.call.Request()
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(request.Config, &fields) // an object that the host has created
		p.config = make(map[string]string, len(fields)+1)
		for name, value := range fields {
			var text string
			if json.Unmarshal(value, &text) != nil || bytes.Equal(value, []byte("null")) {
				text = string(value)
			}
			p.config[name] = text
		}
		p.config["mcpctl.context"] = string(imports.EncodeJSON(request.Context))
	}
	value, ok := p.config[key]
	return value, ok
}

// Limits on the variables of one call.
const (
	maxVarBytes      = 1 << 20
	varOverheadBytes = 64 // of each variable
)

// setVar keeps a copy of value, or deletes the variable if keep is false.
func (p *plugin) setVar(name string, value []byte, keep bool) error {
	size := p.varBytes
	if old, exists := p.vars[name]; exists {
		size -= len(name) + len(old) + varOverheadBytes
	}
	if keep {
		size += len(name) + len(value) + varOverheadBytes
	}
	if size > maxVarBytes {
		return fmt.Errorf("variables of %s bytes, limit %s", fault.Group(size), fault.Group(maxVarBytes))
	}
	p.varBytes = size
	if !keep {
		delete(p.vars, name)
		return nil
	}
	if p.vars == nil {
		p.vars = make(map[string][]byte)
	}
	p.vars[name] = bytes.Clone(value)
	return nil
}

// pluginCall is one call of a host function by a plugin. Its arguments are offsets of
// texts in the kernel's memory.
type pluginCall struct {
	*plugin
	ctx context.Context
	sdk *extism.CurrentPlugin
}

// read returns a text of the guest. It is part of the kernel's memory: it must be copied
// if it is kept, or before a text is written.
func (p *pluginCall) read(offset uint64) ([]byte, error) {
	n, err := p.sdk.LengthWithContext(p.ctx, offset)
	if err != nil || n == 0 {
		return nil, err
	}
	if text, ok := p.sdk.Memory().Read(uint32(offset), uint32(n)); ok {
		return text, nil
	}
	return nil, errors.New("a text that ends outside memory")
}

// write creates a text for the guest.
func (p *pluginCall) write(text []byte) (offset uint64, err error) {
	offset, err = p.sdk.AllocWithContext(p.ctx, uint64(len(text)))
	if err != nil || len(text) == 0 {
		return offset, err
	}
	if offset == 0 || !p.sdk.Memory().Write(uint32(offset), text) {
		return 0, errors.New("no memory left for a text")
	}
	return offset, nil
}

func (p *pluginCall) free(offset uint64) error { return p.sdk.FreeWithContext(p.ctx, offset) }

// sharedMemory is the memories of one plugin under one limit: first the memory of
// Extism's kernel, with input, output and texts, then the guest's own.
type sharedMemory struct {
	limit    uint64
	pool     *memoryPool
	memories []*memory
}

func withAllocator(ctx context.Context, a experimental.MemoryAllocator) context.Context {
	return experimental.WithMemoryAllocator(ctx, a)
}

// Allocate implements experimental.MemoryAllocator.
func (s *sharedMemory) Allocate(_, _ uint64) experimental.LinearMemory {
	m := &memory{pool: s.pool}
	s.memories = append(s.memories, m)
	return &sharer{m, s}
}

func (s *sharedMemory) used() (total uint64) {
	for _, m := range s.memories {
		total += uint64(len(m.Bytes))
	}
	return total
}

// guest returns the guest's own memory.
func (s *sharedMemory) guest() *memory { return s.memories[len(s.memories)-1] }

// Offsets in the root of the kernel's memory. The first field is the number of bytes
// after the root that are in use, all of which the kernel clears for a call.
//
// Source: extism/extism, kernel/src/lib.rs, MemoryRoot, at address 1.
const (
	kernelInUse = 1 + 8
	kernelTexts = 1 + 64
)

// isRootDamaged reports whether a guest has written an impossible size to the root. If
// its entry were called, the SDK would fail and print to the standard output of the
// process.
func (s *sharedMemory) isRootDamaged() bool {
	kernel := s.memories[0].Bytes
	return len(kernel) < kernelTexts || binary.LittleEndian.Uint64(kernel[kernelInUse:]) > uint64(len(kernel)-kernelTexts)
}

// kernelWasRefused reports whether the kernel did not get memory. The kernel and the
// guest continue without it.
func (s *sharedMemory) kernelWasRefused() bool { return s.memories[0].refused }

// sharer is one of the memories.
type sharer struct {
	*memory
	all *sharedMemory
}

// Reallocate implements experimental.LinearMemory.
func (m *sharer) Reallocate(size uint64) []byte {
	m.limit = m.all.limit - (m.all.used() - uint64(len(m.Bytes)))
	return m.memory.Reallocate(size)
}

// maxJSONBytes limits JSON from a guest. Decoding it takes several times as much memory,
// which no limit of the guest counts.
const maxJSONBytes = 2 << 20

// decodeStrict decodes an object and nothing else.
func decodeStrict(text []byte, into any) error {
	if len(text) > maxJSONBytes {
		return fmt.Errorf("%s bytes of JSON, limit %s", fault.Group(len(text)), fault.Group(maxJSONBytes))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the object")
	}
	return nil
}
