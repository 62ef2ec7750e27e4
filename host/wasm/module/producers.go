package module

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// producersSection is the custom section in which tools record how a module was
// made, according to the WebAssembly tool conventions.
const producersSection = "producers"

// Tool is a name and a version, which may be empty.
type Tool struct{ Name, Version string }

func (t Tool) String() string { return strings.TrimSpace(t.Name + " " + t.Version) }

// Producers are the tools that made a module. The convention has more kinds.
type Producers struct {
	Language    Tool // as a person writes it: Rust
	SDK         Tool
	ProcessedBy Tool
}

// encode returns the content of the section; nil if no tool has a name.
func (p Producers) encode() []byte {
	var fields []byte
	n := uint32(0)
	for _, f := range []struct {
		name string
		tool Tool
	}{{"language", p.Language}, {"sdk", p.SDK}, {"processed-by", p.ProcessedBy}} {
		if f.tool.Name == "" {
			continue
		}
		n++
		fields = append(binary.AppendName(fields, f.name), 1) // one value
		fields = binary.AppendName(binary.AppendName(fields, f.tool.Name), f.tool.Version)
	}
	if n == 0 {
		return nil
	}
	return append(binary.AppendU32(nil, n), fields...)
}

// tools returns the values of one field of the producers section. If the section
// is damaged, it returns the values before the damage.
func (f *File) tools(field string) (tools []Tool) {
	r := binary.NewReader(f.producers)
	for range r.Count("producers", 2) {
		name := r.Name()
		for range r.Count("values of producers", 2) {
			t := Tool{r.Name(), r.Name()}
			if r.Err() != nil {
				return tools
			}
			if name == field {
				tools = append(tools, t)
			}
		}
	}
	return tools
}

// hasProducer reports whether a tool whose name begins with name is anywhere in the
// producers section.
func (f *File) hasProducer(name string) bool { return bytes.Contains(f.producers, []byte(name)) }
