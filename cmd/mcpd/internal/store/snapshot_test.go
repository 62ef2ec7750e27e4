package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// A snapshot has the selected objects with their texts, and does not read other texts.
func TestSnapshotSelects(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		large := strings.Repeat("x", 10_000)
		yaml := "kind: Project\nmetadata: {name: p}\nspec: {}\n---\n" + prompt("a", "text a") + "---\n" + prompt("b", "text b") + "---\n" + prompt("c", large)
		if _, err := s.Apply(t.Context(), anna, decode(t, yaml)); err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		for _, tt := range []struct {
			name   string
			hidden []object.Name
			limit  int64
			want   []string // texts
			err    error
		}{
			{"all", nil, 20_000, []string{"text a", "text b", large}, nil},
			{"some of a project", []object.Name{"a"}, 20_000, []string{"text b", large}, nil},
			{"without the large one", []object.Name{"c"}, 2000, []string{"text a", "text b"}, nil},
			{"too large", []object.Name{"b"}, 2000, nil, refused},
			{"none of a project", []object.Name{"a", "b", "c"}, 2000, nil, nil},
		} {
			sel := Selection{
				Choose: func(_ context.Context, version int64) (func(object.Key) bool, error) {
					if version == 0 {
						t.Errorf("%s: version 0", tt.name)
					}
					return func(k object.Key) bool { return !slices.Contains(tt.hidden, k.Name) }, nil
				},
				Accept: func(size int64) error {
					if size > tt.limit {
						return refused
					}
					return nil
				},
			}
			records, _, err := s.Snapshot(t.Context(), sel)
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v", tt.name, err)
			}
			var texts []string
			for _, r := range records {
				o, err := r.Object()
				if err != nil {
					t.Fatal(err)
				}
				if p, ok := o.(*object.Prompt); ok {
					texts = append(texts, p.Spec.Content)
				}
			}
			if !slices.Equal(texts, tt.want) {
				t.Errorf("%s: texts %.40q, want %.40q", tt.name, texts, tt.want)
			}
		}
	})
}
