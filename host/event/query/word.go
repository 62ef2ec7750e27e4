package query

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/host/event"
)

// subject is a Record while it is matched.
type subject struct {
	event *event.Event
	load  func() []string

	fields []string // lower case
	texts  []string // likewise, once loaded
}

// contains reports whether a field or a text contains a text in lower case.
func (s *subject) contains(lower string) bool {
	has := func(text string) bool { return strings.Contains(text, lower) }
	if s.fields == nil {
		s.fields = toLower(fieldsOf(s.event))
	}
	if slices.ContainsFunc(s.fields, has) {
		return true
	}
	if s.load != nil {
		s.texts, s.load = toLower(s.load()), nil
	}
	return slices.ContainsFunc(s.texts, has)
}

// fieldsOf returns the fields that a word is searched in.
func fieldsOf(e *event.Event) []string {
	f := []string{e.Source, e.Called, e.Method, string(e.Type), e.Error, e.Client, e.Project, e.Section}
	if c := e.Change; c != nil {
		f = append(f, c.Name, c.From, c.To, c.Reason)
	}
	return f
}

func toLower(texts []string) []string {
	lower := make([]string, len(texts))
	for i, t := range texts {
		lower[i] = strings.ToLower(t)
	}
	return lower
}

// word is text to search for, ignoring case.
type word struct{ text, lower string }

func newWord(text string) word { return word{text, strings.ToLower(text)} }

func (w word) matches(s *subject) bool { return s.contains(w.lower) }

// String quotes text that is otherwise not a word.
func (w word) String() string {
	_, isFlag := flags[w.text]
	if isFlag || strings.HasPrefix(w.text, "-") || strings.ContainsAny(w.text, `":`) || strings.ContainsFunc(w.text, unicode.IsSpace) {
		return quote(w.text)
	}
	return w.text
}
