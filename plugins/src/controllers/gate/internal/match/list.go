package match

import (
	"iter"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// List is prompts in order, of which only those are read that are looked at: of
// thousands an answer tells of dozens.
type List struct {
	source Source
	read   map[int]*controller.Prompt
}

// Source is where prompts are read from; *controller.PromptList is one.
type Source interface {
	Len() int
	At(i int) controller.Prompt
	Name(i int) string
	Pages() iter.Seq[*controller.PromptPage]
}

// ListOf is a List of prompts.
func ListOf(s Source) *List { return &List{source: s, read: make(map[int]*controller.Prompt)} }

// Len is the number of prompts.
func (l *List) Len() int { return l.source.Len() }

// At is a prompt by position.
func (l *List) At(i int) *controller.Prompt {
	p := l.read[i]
	if p == nil {
		now := l.source.At(i)
		p = &now
		l.read[i] = p
	}
	return p
}

// Name is the name of a prompt.
func (l *List) Name(i int) string {
	if p := l.read[i]; p != nil {
		return p.Name
	}
	return l.source.Name(i)
}

// Criticals is how many prompts are critical; they come first.
func (l *List) Criticals() int {
	for page := range l.source.Pages() {
		for i, priority := range page.Priorities {
			if priority < Critical {
				return page.First + i
			}
		}
	}
	return l.Len()
}

// Named is the prompt of a name, nil if there is none.
func (l *List) Named(name string) *controller.Prompt {
	for _, i := range Places(l, map[string]bool{name: true}) {
		return l.At(i)
	}
	return nil
}

// Places gives the positions of prompts by name; names that no prompt has are not
// among them.
func Places[V any](l *List, names map[string]V) map[string]int {
	places := make(map[string]int)
	if len(names) == 0 {
		return places
	}
	for page := range l.source.Pages() {
		for i := range page.Len() {
			name := page.Name(i)
			if _, ok := names[name]; ok {
				places[strings.Clone(name)] = page.First + i
			}
		}
		if len(places) == len(names) {
			break
		}
	}
	return places
}
