package binary

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

const (
	magic = "\x00asm"

	// Header begins every module: the magic number and version 1 of the format.
	Header = magic + "\x01\x00\x00\x00"
)

// checkHeader returns an error that describes the file if it is not a core module.
func checkHeader(file []byte) error {
	switch {
	case len(file) == 0:
		return errors.New("is empty")
	case len(file) > abi.LimitModuleBytes:
		return fmt.Errorf("%w: is %s bytes, limit %s", abi.ErrLimit, fault.Group(len(file)), fault.Group(abi.LimitModuleBytes))
	case bytes.HasPrefix(file, []byte{0x1f, 0x8b}):
		return errors.New("is compressed with gzip, want the module itself")
	case bytes.HasPrefix([]byte(magic), file), bytes.HasPrefix(file, []byte(magic)) && len(file) < len(Header):
		return errors.New("ends inside the header")
	case !bytes.HasPrefix(file, []byte(magic)):
		return describeOther(file)
	}
	switch version := file[4:8]; {
	case bytes.Equal(version, []byte{1, 0, 0, 0}):
		return nil
	case version[2] == 1:
		return errors.New("is a component, want a core module (wasip1, wasm32-unknown-unknown)")
	default:
		return fmt.Errorf("is version %d of the binary format, want 1", version[0])
	}
}

// describeOther describes a file without the magic number.
func describeOther(file []byte) error {
	head := bytes.TrimSpace(file[:min(len(file), 512)])
	switch {
	case bytes.HasPrefix(head, []byte("(module")), bytes.HasPrefix(head, []byte("(component")), bytes.HasPrefix(head, []byte(";;")):
		return errors.New("is WebAssembly text, want the binary (wat2wasm makes it)")
	case utf8.Valid(head[:max(len(head)-utf8.UTFMax, 0)]) && bytes.IndexByte(head, 0) < 0:
		return errors.New("is a text file, want a WebAssembly module")
	}
	return errors.New("is not a WebAssembly module")
}
