package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxSyntaxes limits the syntaxes of a declaration.
const maxSyntaxes = 8

// entry is one object of a declaration: one syntax. docs/authoring.md describes the
// keys.
type entry struct {
	Types      []string    `json:"types"`
	Begins     string      `json:"begins"`
	Separators string      `json:"separators"`
	Names      []nameEntry `json:"names"`
	Elements   *delimiters `json:"elements"`
	Headings   bool        `json:"headings"`
	Markup     [2]string   `json:"markup"` // beginning and end
	Blocks     string      `json:"blocks"`

	Declarations *declarations `json:"declarations"`
}

// nameEntry lists the characters that may precede and follow a name.
type nameEntry struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// parsed caches the syntaxes of up to 16 declarations by their text, because a stage
// declares the same for each content. When it is full, it is emptied.
var parsed struct {
	sync.Mutex
	syntaxes map[string][]*Syntax
}

// Parse returns the syntaxes of a declaration, which may be empty.
//
// Errors: the declaration is invalid. The text names the entry, counted from 0, and the
// key.
func Parse(text string) ([]*Syntax, error) {
	const maxParsed = 16
	if text == "" {
		return nil, nil
	}
	parsed.Lock()
	known, ok := parsed.syntaxes[text]
	parsed.Unlock()
	if ok {
		return known, nil
	}
	found, err := compileAll(text)
	if err != nil {
		return nil, fmt.Errorf("syntax: %w", err)
	}
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.syntaxes == nil || len(parsed.syntaxes) >= maxParsed {
		parsed.syntaxes = make(map[string][]*Syntax)
	}
	parsed.syntaxes[strings.Clone(text)] = found
	return found, nil
}

func compileAll(text string) ([]*Syntax, error) {
	if err := jsonspan.Valid([]byte(text)); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, errors.New("want a list of objects")
	}
	if len(list) > maxSyntaxes {
		return nil, fmt.Errorf("%d entries, limit %d", len(list), maxSyntaxes)
	}
	var found []*Syntax
	for i, raw := range list {
		s, err := parseEntry(raw)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		found = append(found, s)
	}
	return found, nil
}

func parseEntry(raw json.RawMessage) (*Syntax, error) {
	var e entry
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&e)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return nil, fmt.Errorf("is a %s, want an object", wrongType.Value)
	case errors.As(err, &wrongType):
		return nil, fmt.Errorf("%s is a %s, want %s", wrongType.Field, wrongType.Value, wantedTypes[wrongType.Type.Kind()])
	case err != nil: // only an unknown key is left
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: ") + ", want types, begins, separators, names, elements, headings, markup, blocks or declarations")
	}
	return compile(&e)
}

// wantedTypes are the types of JSON by the kind of a field.
var wantedTypes = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Slice: "a list", reflect.Array: "a list", reflect.Bool: "a bool", reflect.Struct: "an object",
}

func compile(e *entry) (*Syntax, error) {
	s := &Syntax{types: e.Types, headings: e.Headings, elements: e.Elements, markup: e.Markup, declarations: e.Declarations, blocks: e.Blocks}
	var errs [6]error
	s.begins, errs[0] = compileKey("begins", e.Begins)
	s.separators, errs[1] = compileKey("separators", e.Separators)
	s.names, errs[2] = compileNames(e.Names)
	if s.elements != nil {
		errs[3] = s.elements.check()
	}
	if s.declarations != nil {
		errs[4] = s.declarations.compile()
	}
	errs[5] = checkBlocks(e.Blocks)
	return s, errors.Join(errs[:]...)
}

func compileKey(key, expr string) (*pattern, error) {
	p, err := compilePattern(expr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return p, nil
}
