package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpctl/mcpctl/abi"
)

// ParseJSON parses one JSON value and keeps the order of keys. All positions are zero.
// null is the zero Value.
//
// It returns abi.ErrConfig for malformed JSON, a duplicate key or nesting deeper than
// maxDepth (64).
func ParseJSON(b []byte) (Value, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	v, err := readJSON(dec, 0)
	if err != nil {
		return Value{}, fmt.Errorf("%w: %v", abi.ErrConfig, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Value{}, fmt.Errorf("%w: text after the JSON value", abi.ErrConfig)
	}
	return v, nil
}

func readJSON(dec *json.Decoder, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := tok.(type) {
	case nil:
		return Value{}, nil
	case bool:
		return Value{Type: Bool, Text: fmt.Sprint(t)}, nil
	case json.Number:
		return Value{Type: Number, Text: t.String()}, nil
	case string:
		return Value{Type: String, Text: t}, nil
	case json.Delim:
		if t == '[' {
			return readJSONList(dec, depth)
		}
		return readJSONMap(dec, depth)
	}
	return Value{}, fmt.Errorf("token %v", tok)
}

func readJSONList(dec *json.Decoder, depth int) (Value, error) {
	v := Value{Type: List}
	for dec.More() {
		item, err := readJSON(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := dec.Token()
	return v, err
}

func readJSONMap(dec *json.Decoder, depth int) (Value, error) {
	v := Value{Type: Map}
	seen := make(map[string]bool)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Value{}, err
		}
		name := key.(string) // the decoder rejects other keys
		if seen[name] {
			return Value{}, fmt.Errorf("key %q is written twice", name)
		}
		seen[name] = true
		item, err := readJSON(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		v.Fields = append(v.Fields, Field{Name: name, Value: item})
	}
	_, err := dec.Token()
	return v, err
}
