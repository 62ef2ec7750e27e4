package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// each runs f with an empty Store of each engine.
func each(t *testing.T, f func(t *testing.T, s *Store)) {
	databasetest.Each(t, func(t *testing.T, address string) {
		keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
		if err != nil {
			t.Fatal(err)
		}
		f(t, New(databasetest.Open(t, address), keys))
	})
}

func decode(t testing.TB, yaml string) []object.Object {
	t.Helper()
	objects, _, err := object.Decode("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func allow(object.Key, bool) error { return nil }

// anna may do everything.
var anna = Write{Actor: "user anna", Authorize: allow, CanView: func(object.Key) bool { return true }}

func prompt(name, content string) string {
	return fmt.Sprintf("kind: Prompt\nmetadata: {name: %s, project: p}\nspec: {content: %q}\n", name, content)
}

func key(kind object.Kind, project, name object.Name) object.Key {
	return object.Key{Kind: kind, Project: project, Name: name}
}

func actions(done []Applied) string {
	var b strings.Builder
	for _, a := range done {
		fmt.Fprintf(&b, "%s %s;", a.Key, a.Action)
	}
	return b.String()
}

func TestApply(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		const server = "kind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/', headers: {Authorization: Bearer abc}}\n"
		text := "<i> & \u2028 \" \\ \x01\n"
		for _, tt := range []struct {
			name, yaml, want string
			version          int64
		}{
			{"create", prompt("a", text) + "---\n" + server, `prompt "p/a" created;server "s" created;`, 2},
			{"the same again", prompt("a", text) + "---\n" + server, `prompt "p/a" unchanged;server "s" unchanged;`, 2},
			{"one changed", prompt("a", "y") + "---\n" + server, `prompt "p/a" configured;server "s" unchanged;`, 3},
			{"a masked credential is kept", strings.Replace(server, "Bearer abc", "'***'", 1), `server "s" unchanged;`, 3},
			{"and the first text again", prompt("a", text), `prompt "p/a" configured;`, 4},
		} {
			done, err := s.Apply(t.Context(), anna, decode(t, tt.yaml))
			if err != nil || actions(done) != tt.want {
				t.Fatalf("%s: %s, %v, want %s", tt.name, actions(done), err, tt.want)
			}
			if v, err := s.Version(t.Context()); v != tt.version || err != nil {
				t.Errorf("%s: version %d, %v, want %d", tt.name, v, err, tt.version)
			}
		}
		r, err := s.Get(t.Context(), key(object.KindPrompt, "p", "a"))
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Object()
		if err != nil || o.(*object.Prompt).Spec.Content != text || r.Generation != 3 || r.Created.By != "user anna" {
			t.Errorf("got %+v, %v", r, err)
		}
		r, err = s.Get(t.Context(), key(object.KindServer, "", "s"))
		if err != nil || !bytes.Contains(r.Manifest, []byte(`"Authorization":"***"`)) {
			t.Errorf("got %s, %v", r.Manifest, err)
		}
		o, version, err := s.Reveal(t.Context(), r.Key)
		if err != nil || version != 2 || o.(*object.Server).Spec.Headers["Authorization"].Source() != "Bearer abc" {
			t.Errorf("got %v, version %d, %v", o, version, err)
		}
	})
}

func TestApplyRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		if _, err := s.Apply(t.Context(), anna, decode(t, prompt("a", "x"))); err != nil {
			t.Fatal(err)
		}
		denied := Write{Actor: "user bob", Authorize: func(k object.Key, exists bool) error {
			if exists {
				return fmt.Errorf("%w: edit", abi.ErrDenied)
			}
			return nil
		}}
		based := func(base string) Write { return Write{Actor: "user bob", Authorize: allow, Base: base} }
		read := func(name, revision, text string) string {
			return fmt.Sprintf("kind: Prompt\nmetadata: {name: %s, project: p, revision: %q}\nspec: {content: %q}\n", name, revision, text)
		}
		link := "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {linkTarget: 'p/s:x'}\n"
		for _, tt := range []struct {
			name, yaml string
			write      Write
			want       string
			is         error
		}{
			{"no right to edit", prompt("b", "x") + "---\n" + prompt("a", "y"), denied, "edit", abi.ErrDenied},
			{"changed since", prompt("a", "y"), based("7"), `prompt "p/a" was changed by user anna since it was read`, ErrChanged},
			{"deleted since", prompt("z", "y"), based("1"), `prompt "p/z" was deleted since it was read`, abi.ErrConflict},
			{"changed since the revision of a document", read("a", "7", "y"), anna, `prompt "p/a" was changed by user anna since it was read`, ErrChanged},
			{"one of several documents", prompt("b", "x") + "---\n" + read("a", "7", "y"), anna, `prompt "p/a" was changed`, ErrChanged},
			{"deleted since the revision of a document", read("z", "1", "y"), anna, `prompt "p/z" was deleted since it was read`, ErrChanged},
			{"link of a text", link, anna, "linkTarget cannot be changed", nil},
			{"larger when it is stored", prompt("big", strings.Repeat("\x01", 200<<10)), anna, "with indentation and escapes, limit", nil},
			{"masked without a stored value", "kind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/', headers: {A: '***'}}\n", anna, "placeholder for a stored value", nil},
		} {
			done, err := s.Apply(t.Context(), tt.write, decode(t, tt.yaml))
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) || done != nil {
				t.Errorf("%s: %v, %v, want %q", tt.name, done, err, tt.want)
			}
		}
		if _, err := s.Apply(t.Context(), based("1"), decode(t, prompt("a", "y"))); err != nil {
			t.Errorf("the version that was read: %v", err)
		}
		if done, err := s.Apply(t.Context(), anna, decode(t, read("a", "1", "y"))); err != nil || actions(done) != `prompt "p/a" unchanged;` {
			t.Errorf("the present text with an earlier revision: %v, %v", done, err)
		}
		dry := anna
		dry.DryRun = true
		if done, err := s.Apply(t.Context(), dry, decode(t, read("a", "2", "z"))); err != nil || actions(done) != `prompt "p/a" configured;` {
			t.Errorf("the present revision: %v, %v", done, err)
		}
		dry.Base = AnyRevision
		if done, err := s.Apply(t.Context(), dry, decode(t, read("a", "1", "z"))); err != nil || actions(done) != `prompt "p/a" configured;` {
			t.Errorf("any revision: %v, %v", done, err)
		}
		dry.Base = ""
		if r, err := s.Get(t.Context(), key(object.KindPrompt, "p", "a")); err != nil || bytes.Contains(r.Manifest, []byte("revision")) {
			t.Errorf("stored: %s, %v", r.Manifest, err)
		}
		if done, err := s.Apply(t.Context(), dry, decode(t, prompt("c", "y"))); err != nil || actions(done) != `prompt "p/c" created;` {
			t.Errorf("dry run: %v, %v", done, err)
		}
		records, version, err := s.Snapshot(t.Context(), Selection{})
		if err != nil || version != 2 || len(records) != 1 {
			t.Errorf("after all: version %d, %d objects, %v", version, len(records), err)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		const project = "kind: Project\nmetadata: {name: p}\nspec: {}\n---\n"
		if _, err := s.Apply(t.Context(), anna, decode(t, project+prompt("a", "x")+"---\n"+prompt("b", "x"))); err != nil {
			t.Fatal(err)
		}
		p := key(object.KindProject, "", "p")
		if err := s.Delete(t.Context(), anna, p, false); !errors.Is(err, abi.ErrConflict) || !strings.Contains(err.Error(), "[a b]") {
			t.Errorf("a project with prompts: %v", err)
		}
		if err := s.Delete(t.Context(), anna, key(object.KindPrompt, "p", "a"), false); err != nil {
			t.Error(err)
		}
		if r, err := s.Get(t.Context(), key(object.KindPrompt, "p", "b")); err != nil || !bytes.Contains(r.Manifest, []byte(`"content":"x"`)) {
			t.Errorf("a text that two prompts have: %s, %v", r.Manifest, err)
		}
		if err := s.Delete(t.Context(), anna, p, true); err != nil {
			t.Error(err)
		}
		if err := s.Delete(t.Context(), anna, p, true); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("twice: %v", err)
		}
		err := s.db.Read(t.Context(), func(tx *database.Tx) error {
			blobs, err := tx.ListAllBlobs(t.Context())
			if len(blobs) > 0 {
				t.Errorf("%d texts are left", len(blobs))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestApprove(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		if _, err := s.Apply(t.Context(), anna, decode(t, "kind: PromptRequest\nmetadata: {name: a, project: p}\nspec: {content: hello, priority: 8}\n")); err != nil {
			t.Fatal(err)
		}
		request := key(object.KindPromptRequest, "p", "a")
		if a, err := s.Approve(t.Context(), anna, request); err != nil || a.Action != Created || a.Key.Kind != object.KindPrompt {
			t.Errorf("got %v, %v", a, err)
		}
		if _, err := s.Get(t.Context(), request); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("the request: %v", err)
		}
		if rows, err := s.PromptIndex(t.Context(), "p"); err != nil || len(rows) != 1 || rows[0].Priority != 8 {
			t.Errorf("got %v, %v", rows, err)
		}
	})
}

// A request without a priority keeps that of the prompt that it replaces.
func TestApproveKeepsPriority(t *testing.T) {
	for _, tt := range []struct {
		name, before, request string
		want                  int64
	}{
		{"new prompt", "", "", 5},
		{"no priority", "priority: 9, ", "", 9},
		{"a priority", "priority: 9, ", "priority: 2, ", 2},
		{"lower than the default", "priority: 1, ", "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, s *Store) {
				yaml := "kind: PromptRequest\nmetadata: {name: a, project: p}\nspec: {" + tt.request + "content: new}\n"
				if tt.before != "" {
					yaml += "---\nkind: Prompt\nmetadata: {name: a, project: p}\nspec: {" + tt.before + "content: old}\n"
				}
				if _, err := s.Apply(t.Context(), anna, decode(t, yaml)); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Approve(t.Context(), anna, key(object.KindPromptRequest, "p", "a")); err != nil {
					t.Fatal(err)
				}
				if rows, err := s.PromptIndex(t.Context(), "p"); err != nil || len(rows) != 1 || rows[0].Priority != tt.want || rows[0].Summary != "new" {
					t.Errorf("got %+v, %v, want priority %d", rows, err, tt.want)
				}
			})
		})
	}
}

// The error of an actor who may not edit the prompt does not tell what the prompt is.
func TestApproveWithoutTheRightToEdit(t *testing.T) {
	const project = "kind: Project\nmetadata: {name: p}\nspec: {servers: [s]}\n---\nkind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/'}\n---\n"
	for name, before := range map[string]string{"no prompt": "", "a text": prompt("a", "x"), "a link": "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {linkTarget: 'p/s:x'}\n"} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *Store) {
				w := anna
				w.Authorize = func(k object.Key, _ bool) error {
					if k.Kind == object.KindPrompt {
						return fmt.Errorf("%w: may not edit", abi.ErrDenied)
					}
					return nil
				}
				for _, yaml := range []string{project + before, "kind: PromptRequest\nmetadata: {name: a, project: p}\nspec: {content: new}\n"} {
					writer := anna
					writer.CanView = nil // otherwise the request is refused
					if _, err := s.Apply(t.Context(), writer, decode(t, yaml)); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := s.Approve(t.Context(), w, key(object.KindPromptRequest, "p", "a")); !errors.Is(err, abi.ErrDenied) {
					t.Errorf("got %v, want abi.ErrDenied", err)
				}
			})
		})
	}
}

// Versions are in the order of commits and have no gaps, and each has its audit row.
func TestChangesOfManyWriters(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		const writers, rounds = 4, 12
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range rounds {
					text := prompt(fmt.Sprintf("n%d", i%3), fmt.Sprintf("%d %d", w, i))
					if _, err := s.Apply(t.Context(), anna, decode(t, text)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		changes, err := s.Changes(t.Context(), 0, 1000)
		if err != nil || len(changes) != writers*rounds {
			t.Fatalf("%d changes, %v", len(changes), err)
		}
		current := 0
		for i, c := range changes {
			if c.Version != int64(i+1) {
				t.Fatalf("change %d has version %d", i, c.Version)
			}
			if c.Record != nil {
				current++
			}
		}
		if current != 3 {
			t.Errorf("%d changes have an object, want the last one of each", current)
		}
		if v, err := audit.Verify(t.Context(), s.db, s.keys, nil); err != nil || v.Rows != writers*rounds {
			t.Errorf("audit: %+v, %v", v, err)
		}
	})
}

// An error about the prompts of a project names those that the actor may view.
func TestDeleteNamesVisiblePrompts(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		yaml := "kind: Project\nmetadata: {name: p}\nspec: {}\n---\nkind: PromptRequest\nmetadata: {name: r1, project: p}\nspec: {content: x}\n"
		for i := range 7 {
			yaml += "---\n" + prompt(fmt.Sprintf("a%d", i), "x")
		}
		if _, err := s.Apply(t.Context(), anna, decode(t, yaml)); err != nil {
			t.Fatal(err)
		}
		only := func(names ...object.Name) func(object.Key) bool {
			return func(k object.Key) bool { return slices.Contains(names, k.Name) }
		}
		isProject := func(k object.Key, _ bool) error {
			if k.Kind != object.KindProject {
				return fmt.Errorf("%w: may not delete %s", abi.ErrDenied, k)
			}
			return nil
		}
		for name, tt := range map[string]struct {
			canView func(object.Key) bool
			force   bool
			want    string
			is      error
		}{
			"all":           {anna.CanView, false, "has prompts: [a0 a1 a2 a3 a4] and 3 more;", abi.ErrConflict},
			"some":          {only("a6", "r1"), false, "has prompts: [a6 r1] and 6 more;", abi.ErrConflict},
			"none":          {only(), false, `project "p" has prompts: 8;`, abi.ErrConflict},
			"unknown":       {nil, false, `project "p" has prompts: 8;`, abi.ErrConflict},
			"force":         {anna.CanView, true, `may not delete prompt "p/a0"`, abi.ErrDenied},
			"force, hidden": {only(), true, `user bob may not delete all prompts of project "p"`, abi.ErrDenied},
		} {
			w := Write{Actor: "user bob", Authorize: isProject, CanView: tt.canView}
			if err := s.Delete(t.Context(), w, key(object.KindProject, "", "p"), tt.force); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
		}
	})
}

// The creation of a link grants it; no other change does, and none withdraws a grant.
func TestOnlyCreationGrantsLink(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		bob := Write{Actor: "user bob", Authorize: allow, GrantsLink: func(object.Name) bool { return false }}
		owner := Write{Actor: "user owner", Authorize: allow, GrantsLink: func(source object.Name) bool { return source == "docs" }}
		link := func(name string, priority int) string {
			return fmt.Sprintf("kind: Prompt\nmetadata: {name: %s, project: p}\nspec: {linkTarget: 'docs/wiki:x', priority: %d}\n", name, priority)
		}
		apply := func(w Write, yaml string) func() error {
			return func() error { _, err := s.Apply(t.Context(), w, decode(t, yaml)); return err }
		}
		grant := func(name object.Name, granted bool) func() error {
			return func() error {
				return s.GrantLink(t.Context(), "user carl", key(object.KindPrompt, "p", name), granted, func(*database.Tx, Link) error { return nil })
			}
		}
		for _, step := range []struct {
			name string
			do   func() error
			want string // who has granted l and m
		}{
			{"created by another", apply(bob, link("l", 1)), `[""]`},
			{"created by an editor of the source", apply(owner, link("m", 1)), `["" "user owner"]`},
			{"changed by an editor of the source", apply(owner, link("l", 2)), `["" "user owner"]`},
			{"changed by another", apply(bob, link("m", 2)), `["" "user owner"]`},
			{"granted", grant("l", true), `["user carl" "user owner"]`},
			{"changed after the grant", apply(owner, link("l", 3)), `["user carl" "user owner"]`},
			{"withdrawn", grant("m", false), `["user carl" ""]`},
			{"changed after the withdrawal", apply(owner, link("m", 3)), `["user carl" ""]`},
			{"deleted", func() error { return s.Delete(t.Context(), bob, key(object.KindPrompt, "p", "l"), false) }, `[""]`},
			{"created again by another", apply(bob, link("l", 1)), `["" ""]`},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			links, err := s.Links(t.Context())
			var by []string
			for _, l := range links {
				by = append(by, l.GrantedBy)
			}
			if got := fmt.Sprintf("%q", by); err != nil || got != step.want {
				t.Errorf("%s: granted by %s, %v, want %s", step.name, got, err, step.want)
			}
		}
	})
}

func TestCompact(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		for i := range 4 {
			if _, err := s.Apply(t.Context(), anna, decode(t, prompt("a", fmt.Sprint(i)))); err != nil {
				t.Fatal(err)
			}
		}
		for _, upTo := range []int64{2, 1} { // the second is in the past
			if err := s.Compact(t.Context(), upTo); err != nil {
				t.Fatal(err)
			}
		}
		for after, want := range map[int64]error{1: ErrCompacted, 2: nil, 4: nil, 5: ErrCompacted} {
			if _, err := s.Changes(t.Context(), after, 10); !errors.Is(err, want) {
				t.Errorf("after %d: %v, want %v", after, err, want)
			}
		}
	})
}

func TestAuditShowsManipulation(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		for i := range 3 {
			if _, err := s.Apply(t.Context(), anna, decode(t, prompt("a", fmt.Sprint(i)))); err != nil {
				t.Fatal(err)
			}
		}
		err := s.db.Write(t.Context(), func(tx *database.Tx) error {
			rows, err := tx.ListAuditOfWriter(t.Context(), query.ListAuditOfWriterParams{Writer: audit.ConfigWriter, Limit: 10})
			if err != nil {
				return err
			}
			forged := query.AddAuditParams(rows[2])
			forged.Seq, forged.Actor = 4, "user bob"
			return tx.AddAudit(t.Context(), forged)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Verify(t.Context(), s.db, s.keys, nil); err == nil || !strings.Contains(err.Error(), "row 4 of config was changed") {
			t.Errorf("got %v", err)
		}
	})
}

// A database file contains no credential.
func TestCredentialsAreEncrypted(t *testing.T) {
	each(t, func(t *testing.T, s *Store) {
		const canary = "canary-7c1f0b"
		if _, err := s.Apply(t.Context(), anna, decode(t, "kind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/', headers: {Authorization: Bearer "+canary+"}}\n")); err != nil {
			t.Fatal(err)
		}
		err := s.db.Read(t.Context(), func(tx *database.Tx) error {
			secrets, _ := tx.ListSecrets(t.Context())
			if len(secrets) != 1 || bytes.Contains(secrets[0].Ciphertext, []byte(canary)) {
				t.Errorf("got %d secrets", len(secrets))
			}
			objects, _ := tx.ListAllObjects(t.Context())
			if strings.Contains(fmt.Sprint(objects), canary) {
				t.Error("the manifest has the credential")
			}
			moved, err := tx.GetSecret(t.Context(), secrets[0].Uid)
			if _, err := s.keys.Open(moved.KeyID, moved.Ciphertext, boundTo("another", moved.Version)); !errors.Is(err, abi.ErrConfig) {
				t.Errorf("a ciphertext of another object: %v", err)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
