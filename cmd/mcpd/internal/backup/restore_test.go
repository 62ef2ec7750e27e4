package backup

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// A merge restores a grant that was withdrawn, and readers learn of it by a new version.
func TestMergeRestoresGrant(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		s.fill(t)
		archive := s.write(t, Options{})
		s.grant(t, "link", false)
		before, err := s.store.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name    string
			changes []string
		}{{"withdrawn", []string{"link"}}, {"again", nil}} {
			report, err := s.restore(t, archive, RestoreOptions{Merge: true})
			if err != nil || report.Unchanged != 20 || s.links(t) != `link "user anna"` {
				t.Fatalf("%s: %+v, %v, links %s", tt.name, report, err, s.links(t))
			}
			changes, err := s.store.Changes(t.Context(), before, 10)
			var names []string
			for _, c := range changes {
				names = append(names, string(c.Key.Name))
			}
			if err != nil || !slices.Equal(names, tt.changes) {
				t.Errorf("%s: changes of %v, %v, want %v", tt.name, names, err, tt.changes)
			}
			now, err := s.store.Version(t.Context())
			if v, errPrompts := s.store.PromptsVersion(t.Context(), "p"); err != nil || errPrompts != nil || tt.changes != nil && v != now {
				t.Errorf("%s: version of the prompts %d, %v, want %d", tt.name, v, errPrompts, now)
			}
			before = now
		}
	})
}

func TestRestoreOptions(t *testing.T) {
	id := newIdentity(t)
	source := newSQLite(t)
	source.fill(t)
	archive := source.write(t, Options{Recipients: []string{id.Recipient().String()}})
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		for _, tt := range []struct {
			name    string
			options RestoreOptions
			want    string
			is      error
		}{
			{"no identity", RestoreOptions{}, "they are encrypted to " + id.Recipient().String(), abi.ErrConfig},
			{"another identity", RestoreOptions{Identity: newIdentity(t).String()}, "does not decrypt credentials/servers/secret.json.age", abi.ErrDenied},
			{"a public key", RestoreOptions{Identity: id.Recipient().String()}, "want a line AGE-SECRET-KEY-1", abi.ErrConfig},
		} {
			if _, err := s.restore(t, archive, tt.options); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
		version := func() int64 {
			v, err := s.store.Version(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if report, err := s.restore(t, archive, RestoreOptions{DryRun: true, Identity: id.String()}); err != nil || report.Created != 20 || version() != 0 {
			t.Errorf("dry run: %+v, %v, version %d", report, err, version())
		}
		s.apply(t, "kind: Prompt\nmetadata: {name: text, project: p}\nspec: {content: own}\n---\nkind: Prompt\nmetadata: {name: link, project: p}\nspec: {content: no link}\n"+
			"---\nkind: Prompt\nmetadata: {name: other, project: p}\nspec: {content: own}\n")
		own, _ := s.store.Get(t.Context(), object.Key{Kind: object.KindPrompt, Project: "p", Name: "text"})
		if _, err := s.restore(t, archive, RestoreOptions{Identity: id.String()}); !errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "it has 3") {
			t.Errorf("not empty: %v", err)
		}
		report, err := s.restore(t, archive, RestoreOptions{Merge: true, WithoutCredentials: true})
		if err != nil || report.Created != 18 || report.Configured != 1 || !slices.Equal(report.Skipped, []string{`server "secret"`}) {
			t.Errorf("merge without credentials: %+v, %v", report, err)
		}
		report, err = s.restore(t, archive, RestoreOptions{Merge: true, Identity: id.String()})
		if err != nil || report.Created != 1 || report.Unchanged != 19 {
			t.Errorf("merge: %+v, %v", report, err)
		}
		if r, err := s.store.Get(t.Context(), own.Key); err != nil || r.UID != own.UID || r.Generation != 2 || r.Updated.By != "mcpd restore" || r.Created.By != "user anna" {
			t.Errorf("a replaced object: %+v, %v", r, err)
		}
		changes, err := s.store.Changes(t.Context(), 3, 1000)
		if err != nil || len(changes) != 21 || changes[0].Version != 4 { // a link replaces a text by a delete and a put
			t.Errorf("%d changes, %v", len(changes), err)
		}
		if v, err := audit.Verify(t.Context(), s.db, s.keys, nil); err != nil || v.Rows != 3+21+1+2 {
			t.Errorf("audit: %+v, %v", v, err)
		}
	})
}

// A client that has followed a lost server gets no gap: its version counts as compacted.
func TestVersionsContinue(t *testing.T) {
	pairs(t, func(t *testing.T, from, to server) {
		from.fill(t)
		archive := from.write(t, Options{})
		if _, err := to.restore(t, archive, RestoreOptions{}); err != nil {
			t.Fatal(err)
		}
		from.apply(t, "kind: Prompt\nmetadata: {name: late, project: p}\nspec: {content: x}\n")
		late, err := from.store.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, after := range []int64{0, 1, late} {
			if _, err := to.store.Changes(t.Context(), after, 10); !errors.Is(err, store.ErrCompacted) {
				t.Errorf("after %d: %v, want %v", after, err, store.ErrCompacted)
			}
		}
		now, err := to.store.Version(t.Context())
		if changes, errChanges := to.store.Changes(t.Context(), now-19, 100); err != nil || errChanges != nil || len(changes) != 19 || changes[0].Record == nil {
			t.Errorf("version %d, %v, %d changes, %v", now, err, len(changes), errChanges)
		}
	})
}
