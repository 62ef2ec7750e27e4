package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
)

// builtIn returns a system prompt as the program contains it, with the Version 0. A stored
// prompt of the same key replaces it, and deleting that returns to it.
func builtIn(key object.Key) (store.Record, bool) {
	o, ok := object.BuiltIns()[key]
	if !ok || key.Kind != object.KindPrompt {
		return store.Record{}, false
	}
	manifest, err := object.EncodeJSON(o)
	if err != nil {
		return store.Record{}, false
	}
	return store.Record{Key: key, Manifest: manifest}, true
}

// systemKeys returns the keys of the system prompts, sorted.
func systemKeys() []object.Key {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(object.BuiltIns())), func(k object.Key) bool { return k.Kind != object.KindPrompt })
	slices.SortFunc(keys, func(a, b object.Key) int { return cmp.Compare(a.Name, b.Name) })
	return keys
}

// missingSystemPrompts returns the system prompts that are not stored.
func missingSystemPrompts(ctx context.Context, s *store.Store) (list []store.Record, err error) {
	for _, key := range systemKeys() {
		_, err := s.Get(ctx, key)
		if err != nil && !errors.Is(err, abi.ErrNotFound) {
			return nil, err
		}
		if r, ok := builtIn(key); ok && err != nil {
			list = append(list, r)
		}
	}
	return list, nil
}

// allPrompts returns the prompts of a project, also those that are built in, by descending
// priority, then by name.
func allPrompts(ctx context.Context, s *store.Store, project object.Name) ([]store.PromptRow, error) {
	rows, err := s.PromptIndex(ctx, project)
	if err != nil || project != object.SystemProject {
		return rows, err
	}
	for _, key := range systemKeys() {
		if slices.ContainsFunc(rows, func(r store.PromptRow) bool { return r.Name == string(key.Name) }) {
			continue
		}
		spec := object.BuiltIns()[key].(*object.Prompt).Spec
		outline := prompt.OutlineOf(spec.Content)
		list := spec.Chapters
		if len(list) == 0 {
			list = append([]string{}, outline.Chapters...)
		}
		chapters, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		rows = append(rows, store.PromptRow{Name: string(key.Name), Priority: int64(spec.Priority), Summary: cmp.Or(spec.Summary, outline.Summary),
			Chapters: string(chapters), BodyBytes: int64(len(spec.Content))})
	}
	slices.SortFunc(rows, func(a, b store.PromptRow) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return rows, nil
}
