package syntax

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

const (
	// maxSteps limits the instructions of one pattern, repeats expanded. With the
	// limits on the text that is matched (guess, IsStructure, PlainText), it bounds the
	// time of a match.
	maxSteps = 400
	// maxSyntaxes limits the syntaxes of a declaration.
	maxSyntaxes = 16
)

// entry is one object of a declaration: one syntax. docs/authoring.md describes the
// keys.
type entry struct {
	Types      []string `json:"types"`
	Begins     string   `json:"begins"`
	Separators string   `json:"separators"`
	Attributes bool     `json:"attributes"`
	Names      []struct {
		Before string `json:"before"`
		After  string `json:"after"`
	} `json:"names"`
	Elements *delimiters `json:"elements"`
	Headings bool        `json:"headings"`
	Markup   string      `json:"markup"`
}

// parsed caches the syntaxes of up to 64 declarations by their text, because a stage
// declares the same for each content. When it is full, it is emptied.
var parsed struct {
	sync.Mutex
	syntaxes map[string][]*Syntax
}

// parse returns the syntaxes of a declaration, which may be empty.
func parse(text string) ([]*Syntax, error) {
	const maxParsed = 64
	if text == "" {
		return nil, nil
	}
	parsed.Lock()
	defer parsed.Unlock()
	if known, ok := parsed.syntaxes[text]; ok {
		return known, nil
	}
	found, err := compileAll(text)
	if err != nil {
		return nil, err
	}
	if parsed.syntaxes == nil || len(parsed.syntaxes) >= maxParsed {
		parsed.syntaxes = make(map[string][]*Syntax)
	}
	parsed.syntaxes[strings.Clone(text)] = found
	return found, nil
}

func compileAll(text string) ([]*Syntax, error) {
	var list []entry
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var wrongType *json.UnmarshalTypeError
	switch err := d.Decode(&list); {
	case errors.As(err, &wrongType):
		return nil, fmt.Errorf("syntax: %s has type %s, at byte %d", cmp.Or(wrongType.Field, "the declaration"), wrongType.Value, wrongType.Offset)
	case err != nil:
		return nil, fmt.Errorf("syntax: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("syntax: text after the list, at byte %d", d.InputOffset())
	}
	if len(list) > maxSyntaxes {
		return nil, fmt.Errorf("syntax: %d entries, limit %d", len(list), maxSyntaxes)
	}
	var found []*Syntax
	for i := range list {
		s, err := compile(&list[i])
		if err != nil {
			return nil, fmt.Errorf("syntax: entry %d (from 0): %w", i, err)
		}
		found = append(found, s)
	}
	return found, nil
}

func compile(d *entry) (*Syntax, error) {
	s := &Syntax{types: d.Types, attributes: d.Attributes, headings: d.Headings, elements: d.Elements}
	for _, n := range d.Names {
		s.names = append(s.names, borders{n.Before, n.After})
	}
	var errs [4]error
	s.begins, errs[0] = compilePattern("begins", `\A(?:`, d.Begins, `)`)
	s.separators, errs[1] = compilePattern("separators", `\A(?:`, d.Separators, `)\z`)
	s.markup, errs[2] = compilePattern("markup", "", d.Markup, "")
	if s.elements != nil {
		errs[3] = s.elements.check()
	}
	return s, errors.Join(errs[:]...)
}

// compilePattern compiles the pattern of a key. It returns nil for an empty pattern.
func compilePattern(key, prefix, expr, suffix string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	if n := countSteps(tree); n > maxSteps {
		return nil, fmt.Errorf("%s: pattern of %d steps with its repeats, limit %d", key, n, maxSteps)
	}
	return regexp.Compile(prefix + expr + suffix)
}

// countSteps estimates the instructions of a compiled pattern. The recursion is
// bounded, because syntax.Parse limits the depth.
func countSteps(re *syntax.Regexp) int {
	n := 1
	for _, sub := range re.Sub {
		n += countSteps(sub)
	}
	if re.Op == syntax.OpLiteral {
		n += len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return n
}
