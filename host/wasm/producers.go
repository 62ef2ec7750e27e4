package wasm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// producersSection is the custom section in which tools say what a module was made
// with, as WebAssembly's tool conventions have it.
const producersSection = "producers"

// Tool is a name and a version, which may be empty.
type Tool struct{ Name, Version string }

func (t Tool) String() string { return strings.TrimSpace(t.Name + " " + t.Version) }

// Producers is what a module was made with. The convention has more kinds of tools.
type Producers struct {
	Language    Tool // as a person writes it: Rust
	SDK         Tool
	ProcessedBy Tool
}

// fields are those with a name, in the order in which they are written.
func (p Producers) fields() (fields []producersField) {
	for _, f := range []producersField{{"language", p.Language}, {"sdk", p.SDK}, {"processed-by", p.ProcessedBy}} {
		if f.tool.Name != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

type producersField struct {
	name string
	tool Tool
}

// WithProducers returns a module that says what it was made with. What a compiler has
// left of that is not touched.
//
// Errors: abi.ErrGuest if file is no module.
func WithProducers(file []byte, p Producers) ([]byte, error) {
	there := false
	out, err := filterCustom(file, func(name string) bool {
		there = there || name == producersSection
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	fields := p.fields()
	if there || len(fields) == 0 {
		return out, nil
	}
	body := binary.AppendUvarint(nil, uint64(len(fields)))
	for _, f := range fields {
		body = append(appendName(body, f.name), 1) // one value
		body = appendName(appendName(body, f.tool.Name), f.tool.Version)
	}
	return appendCustom(out, producersSection, body), nil
}

// tools reads the values of one field of a producers section; of a damaged one those
// before the damage.
func (s *shape) tools(field string) (tools []Tool) {
	r := &reader{b: s.producers}
	for range r.count("producers", 2) {
		name := r.name()
		for range r.count("values of producers", 2) {
			t := Tool{r.name(), r.name()}
			if r.err != nil {
				return tools
			}
			if name == field {
				tools = append(tools, t)
			}
		}
	}
	return tools
}

// made reports whether a tool whose name begins so stands anywhere in the section.
func (s *shape) made(name string) bool { return bytes.Contains(s.producers, []byte(name)) }
