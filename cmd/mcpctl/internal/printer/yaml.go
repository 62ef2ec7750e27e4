package printer

import (
	"encoding/json"
	"io"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// YAML writes v as YAML with the key order of its JSON. A list is written as several documents,
// which
// apply accepts.
func YAML(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	docs := []json.RawMessage{b}
	if len(b) > 0 && b[0] == '[' {
		if err := json.Unmarshal(b, &docs); err != nil {
			return err
		}
	}
	for i, d := range docs {
		text, err := strictyaml.FromJSON(d)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte("---\n"), text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
