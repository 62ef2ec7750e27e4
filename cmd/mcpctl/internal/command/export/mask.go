package export

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/credential"
)

// maskText replaces the credentials in a text by asterisks. The text keeps its length in
// bytes and its lines, so that the positions of sections stay valid.
func maskText(s string) string {
	found := credential.FindText(s)
	if len(found) == 0 {
		return s
	}
	out := []byte(s)
	for _, r := range found {
		for i := r[0]; i < r[1]; i++ {
			if out[i] != '\n' {
				out[i] = '*'
			}
		}
	}
	return string(out)
}

// maskJSON masks the strings in a JSON object and replaces fields of it. Names of fields are
// not looked at: they are those of events, which have no fields for credentials.
func maskJSON(text []byte, fields map[string]string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	maskValue(v)
	for name, value := range fields {
		if _, ok := v[name]; ok {
			v[name] = value
		}
	}
	return json.Marshal(v)
}

func maskValue(v any) any {
	switch v := v.(type) {
	case string:
		return maskText(v)
	case []any:
		for i := range v {
			v[i] = maskValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = maskValue(v[k])
		}
	}
	return v
}
