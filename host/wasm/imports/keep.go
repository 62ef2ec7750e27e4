package imports

import (
	"crypto/sha256"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/syntax"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// KV keeps values for guests. It must be safe for concurrent use. A KV that can be
// switched off also has Off() bool: while it returns true there is no KV.
type KV interface {
	// Get returns the value of a key. The caller must not modify it.
	Get(ns Namespace, key []byte) (value []byte, ok bool)
	// Set keeps copies. For an error that wraps abi.ErrLimit the guest gets LIMIT, for
	// any other UNAVAILABLE.
	Set(ns Namespace, key, value []byte) error
}

// Namespace identifies the owner of values. The KV limits the values of one module
// together (limits.cache).
type Namespace struct {
	Module  string // hash
	Role    string
	Project string
	Config  [32]byte // SHA-256 of the canonical config
}

// NewNamespace returns the namespace of a role with a canonical config.
func NewNamespace(module, role, project string, config []byte) Namespace {
	return Namespace{Module: module, Role: role, Project: project, Config: sha256.Sum256(config)}
}

// values are the values that guests of a role keep in a KV.
type values struct {
	*refusals
	config *Config
}

// namespace returns the owner of the values of this role, config and project.
func (v *values) namespace() Namespace {
	request := &v.config.Request
	return NewNamespace(v.config.ModuleHash, v.config.Role.Name, request.Context.Project, request.Config)
}

func (v *values) isOff() bool {
	kv, ok := v.config.Services.KV.(interface{ Off() bool })
	return v.config.Services.KV == nil || ok && kv.Off()
}

func (v *values) get(key []byte) (value []byte, code int32) {
	if v.isOff() {
		return nil, v.refuse(abi.CodeUnavailable, "no cache configured")
	}
	value, ok := v.config.Services.KV.Get(v.namespace(), storedKey(key))
	if !ok {
		return nil, v.refuseNotFound()
	}
	return value, 0
}

func (v *values) set(key, value []byte) int32 {
	if len(value) > abi.LimitCacheValueBytes {
		return v.refuse(abi.CodeLimit, "value of %s bytes, limit %s", fault.Group(len(value)), fault.Group(abi.LimitCacheValueBytes))
	}
	if v.isOff() {
		return v.refuse(abi.CodeUnavailable, "no cache configured")
	}
	switch err := v.config.Services.KV.Set(v.namespace(), storedKey(key), value); {
	case errors.Is(err, abi.ErrLimit):
		return v.refuse(abi.CodeLimit, "%v", err)
	case err != nil:
		return v.refuse(abi.CodeUnavailable, "%v", err)
	}
	return 0
}

// storedKey returns the key under which a value is kept. A long key ends with its hash
// and is one byte longer than short keys may be, so that it never equals one.
func storedKey(key []byte) []byte {
	if len(key) <= abi.LimitCacheKeyBytes {
		return key
	}
	sum := sha256.Sum256(key)
	return append(slices.Clone(key[:abi.LimitCacheKeyBytes+1-len(sum)]), sum[:]...)
}

// Keys of metadata that the host uses.
const (
	keyType   = "type"   // of the content
	keySyntax = "syntax" // declaration of syntaxes, see package syntax
)

// metadata are the values of meta_set.
type metadata struct {
	*refusals
	values map[string]string
	bytes  int
}

func (m *metadata) set(key, value []byte) int32 {
	if len(key) == 0 || !utf8.Valid(key) || !utf8.Valid(value) {
		return m.refuse(abi.CodeBadArg, "metadata needs a key, and key and value in UTF-8")
	}
	if string(key) == keySyntax {
		if _, err := syntax.Parse(string(value)); err != nil {
			return m.refuse(abi.CodeBadArg, "metadata %v", err)
		}
	}
	old, exists := m.values[string(key)]
	size := m.bytes + len(value) - len(old)
	if !exists {
		size += len(key)
	}
	if !exists && len(m.values) >= abi.LimitMetaKeys || size > abi.LimitMetaBytes {
		return m.refuse(abi.CodeLimit, "metadata of %d keys and %s bytes, limit %d and %s",
			len(m.values)+1, fault.Group(size), abi.LimitMetaKeys, fault.Group(abi.LimitMetaBytes))
	}
	if m.values == nil {
		m.values = make(map[string]string)
	}
	m.values[string(key)] = string(value)
	m.bytes = size
	return 0
}
