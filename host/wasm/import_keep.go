package wasm

import (
	"crypto/sha256"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// metadata is what meta_set has set.
type metadata struct {
	values map[string]string
	bytes  int
}

var keepFuncs = map[string]importFunc{
	abi.FuncMetaSet:  metaSet,
	abi.FuncCacheGet: cacheGet,
	abi.FuncCacheSet: cacheSet,
}

func metaSet(r *run, a args) int32 {
	key, value := r.text(a, 0), r.text(a, 2)
	m := &r.meta
	if len(key) == 0 || !utf8.Valid(key) || !utf8.Valid(value) {
		return r.refuse(abi.CodeBadArg, "metadata needs a key, and key and value in UTF-8")
	}
	old, had := m.values[string(key)]
	size := m.bytes + len(value) - len(old)
	if !had {
		size += len(key)
	}
	if !had && len(m.values) >= abi.LimitMetaKeys || size > abi.LimitMetaBytes {
		return r.refuse(abi.CodeLimit, "metadata of %d keys and %s bytes, limit %d and %s",
			len(m.values)+1, fault.Group(size), abi.LimitMetaKeys, fault.Group(abi.LimitMetaBytes))
	}
	if m.values == nil {
		m.values = make(map[string]string)
	}
	m.values[string(key)] = string(value)
	m.bytes = size
	return 0
}

// granted refuses a function that the role's manifest does not list.
func (r *run) granted(capability string) int32 {
	if !slices.Contains(r.role.Capabilities, capability) {
		return r.refuse(abi.CodeDenied, "role %s does not have the capability %s", r.role.Name, capability)
	}
	return 0
}

// kept says where values of this role with this config in this project lie.
func (r *run) kept() Namespace {
	return Namespace{Module: r.m.info.Hash, Role: r.role.Name, Project: r.call.Context.Project, Config: sha256.Sum256(r.call.Config)}
}

// cacheKey is a key as it is kept: a long one by its hash, of which no short
// one can be mistaken, since it is one byte longer than they may be.
func cacheKey(key []byte) []byte {
	if len(key) <= abi.LimitCacheKeyBytes {
		return key
	}
	sum := sha256.Sum256(key)
	return append(slices.Clone(key[:abi.LimitCacheKeyBytes+1-len(sum)]), sum[:]...)
}

func cacheGet(r *run, a args) int32 {
	value, code := r.cached(r.text(a, 0))
	if code < 0 {
		return code
	}
	return r.add(buffer{data: value, owned: len(value)})
}

// cached is the value that is kept under a key.
func (r *run) cached(key []byte) (value []byte, code int32) {
	if code := r.granted(module.CapabilityCache); code < 0 {
		return nil, code
	}
	if r.m.rt.noCache() {
		return nil, r.refuse(abi.CodeUnavailable, "no cache configured")
	}
	value, ok := r.m.rt.opts.KV.Get(r.kept(), cacheKey(key))
	if !ok {
		return nil, r.notFound()
	}
	return value, 0
}

func cacheSet(r *run, a args) int32 { return r.keep(r.text(a, 0), r.text(a, 2)) }

// keep keeps a value under a key.
func (r *run) keep(key, value []byte) int32 {
	if code := r.granted(module.CapabilityCache); code < 0 {
		return code
	}
	if len(value) > abi.LimitCacheValueBytes {
		return r.refuse(abi.CodeLimit, "value of %s bytes, limit %s", fault.Group(len(value)), fault.Group(abi.LimitCacheValueBytes))
	}
	if r.m.rt.noCache() {
		return r.refuse(abi.CodeUnavailable, "no cache configured")
	}
	switch err := r.m.rt.opts.KV.Set(r.kept(), cacheKey(key), value); {
	case errors.Is(err, abi.ErrLimit):
		return r.refuse(abi.CodeLimit, "%v", err)
	case err != nil:
		return r.refuse(abi.CodeUnavailable, "%v", err)
	}
	return 0
}
