package match

import (
	"iter"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// List is an ordered list of prompts that are read on demand, because an answer
// uses only dozens of thousands.
type List struct {
	source Source
	read   map[int]*controller.Prompt
}

// Source is the source of a List; *controller.PromptList implements it.
type Source interface {
	Len() int
	At(i int) controller.Prompt
	Name(i int) string
	Pages() iter.Seq[*controller.PromptPage]
}

// NewList returns a List of the prompts of s.
func NewList(s Source) *List { return &List{source: s, read: make(map[int]*controller.Prompt)} }

func (l *List) Len() int { return l.source.Len() }

// At returns the prompt at a position.
func (l *List) At(i int) *controller.Prompt {
	p := l.read[i]
	if p == nil {
		now := l.source.At(i)
		p = &now
		l.read[i] = p
	}
	return p
}

// Name returns the name of the prompt at a position.
func (l *List) Name(i int) string {
	if p := l.read[i]; p != nil {
		return p.Name
	}
	return l.source.Name(i)
}

// CountCritical returns the number of critical prompts, which come first.
func (l *List) CountCritical() int {
	for page := range l.source.Pages() {
		for i, priority := range page.Priorities {
			if priority < Critical {
				return page.First + i
			}
		}
	}
	return l.Len()
}

// Named returns the prompt with a name, or nil.
func (l *List) Named(name string) *controller.Prompt {
	for _, i := range Places(l, map[string]bool{name: true}) {
		return l.At(i)
	}
	return nil
}

// Places returns the positions of prompts by name, without names that no prompt has.
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
