package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Spec is abi.json.
type Spec struct {
	Version struct {
		Major int `json:"major"`
		Minor int `json:"minor"`
	} `json:"version"`
	Marker      string      `json:"marker"`
	Memory      string      `json:"memory"`
	Entries     []Entry     `json:"entries"`
	Codes       []Value     `json:"codes"`
	Enums       []Enum      `json:"enums"`
	FirstHandle int         `json:"firstHandle"`
	Context     []Field     `json:"context"`
	Records     []Record    `json:"records"`
	Limits      []Limit     `json:"limits"`
	Namespaces  []Namespace `json:"namespaces"`
}

// Entry is an export that the host calls. It has no parameters.
type Entry struct {
	Name   string `json:"name"`
	Go     string `json:"go"`
	Result bool   `json:"result"` // an i32 is returned
	Since  string `json:"since"`
	Doc    string `json:"doc"`
}

// Value is a named number or, in an Enum with String, only a name.
type Value struct {
	Name  string `json:"name"`
	Go    string `json:"go"`
	Value int    `json:"value"`
	Since string `json:"since"`
	Doc   string `json:"doc"`
}

// Enum is a set of values.
type Enum struct {
	Name   string  `json:"name"`
	String bool    `json:"string"` // the values are names
	Hand   bool    `json:"hand"`   // package abi declares it by hand, with its own type
	Doc    string  `json:"doc"`
	Values []Value `json:"values"`
}

// title returns the plural of the enum's name with a capital.
func (e Enum) title() string {
	plural := e.Name + "s"
	if strings.HasSuffix(e.Name, "s") {
		plural = e.Name + "es"
	}
	return strings.ToUpper(plural[:1]) + plural[1:]
}

// Record is a record of fixed size that an import writes.
type Record struct {
	Name   string   `json:"name"`
	Go     string   `json:"go"`
	Size   int      `json:"size"`
	Since  string   `json:"since"`
	Doc    string   `json:"doc"`
	Fields []string `json:"fields"`
}

// Field is a field of the context object. Of is the audience: all, stage (including
// filters) or controller.
type Field struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Of    string `json:"of"`
	Since string `json:"since"`
	Doc   string `json:"doc"`
}

// Limit is a default of the limits table.
type Limit struct {
	Go    string `json:"go"`
	Value int    `json:"value"`
	Unit  string `json:"unit"`
	Key   string `json:"key"` // below "limits." in the settings
	Doc   string `json:"doc"`
}

// Namespace is a module name that guests import from.
type Namespace struct {
	Name    string   `json:"name"`
	Go      string   `json:"go"`
	Prefix  string   `json:"prefix"` // of its functions' Go names, after Func
	Doc     string   `json:"doc"`
	Imports []Import `json:"imports"`
}

// Import is a function of a Namespace. Its result is an i32.
type Import struct {
	Name   string   `json:"name"`
	Params []Param  `json:"params"`
	Result string   `json:"result"`
	Codes  []string `json:"codes"`
	Since  string   `json:"since"`
	Doc    string   `json:"doc"`
}

// Param is a logical parameter.
//
// Type is i32, buf (buffer or handle), bytes (pointer and length to read), out
// (pointer and capacity to write) or ptr (pointer to Size bytes to write).
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int    `json:"size"`
}

// words returns the number of i32 of the parameter in the ABI.
func (p Param) words() int {
	if p.Type == "bytes" || p.Type == "out" {
		return 2
	}
	return 1
}

func (m Import) words() int {
	n := 0
	for _, p := range m.Params {
		n += p.words()
	}
	return n
}

func readSpec(path string) (*Spec, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var s Spec
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}

var (
	snake   = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	version = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
)

// check returns an error if generated text would be wrong or not compile.
func (s *Spec) check() error {
	codes := map[string]bool{}
	for _, c := range s.Codes {
		if c.Value >= 0 {
			return fmt.Errorf("code %s is %d, want a negative one", c.Name, c.Value)
		}
		codes[c.Name] = true
	}
	for _, ns := range s.Namespaces {
		seen := map[string]bool{}
		for _, m := range ns.Imports {
			if !snake.MatchString(m.Name) || seen[m.Name] {
				return fmt.Errorf("%s: import %q is not a name, or there twice", ns.Name, m.Name)
			}
			seen[m.Name] = true
			if err := m.check(codes); err != nil {
				return fmt.Errorf("%s.%s: %w", ns.Name, m.Name, err)
			}
		}
	}
	return nil
}

func (m Import) check(codes map[string]bool) error {
	if m.Doc == "" || m.Result == "" || !version.MatchString(m.Since) {
		return fmt.Errorf("needs doc, result and since")
	}
	for _, c := range m.Codes {
		if !codes[c] {
			return fmt.Errorf("code %s unknown", c)
		}
	}
	for _, p := range m.Params {
		switch {
		case p.Type != "i32" && p.Type != "buf" && p.Type != "bytes" && p.Type != "out" && p.Type != "ptr":
			return fmt.Errorf("parameter %s: type %q unknown", p.Name, p.Type)
		case (p.Type == "ptr") != (p.Size > 0):
			return fmt.Errorf("parameter %s: size %d with type %s", p.Name, p.Size, p.Type)
		}
	}
	return nil
}
