package content

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

func TestDamagedFiles(t *testing.T) {
	name := func(ref string) string { return ref }
	original := func(string) string { return hash(sha([]byte("whole"))).name() }
	for rule, c := range map[string]struct {
		file   func(ref string) string
		damage func(b []byte) []byte
		found  bool // whether Get finds the original
	}{
		"a changed original is not served":     {original, func(b []byte) []byte { b[0] ^= 1; return b }, false},
		"an empty original is not served":      {original, func([]byte) []byte { return nil }, false},
		"a longer original is not served":      {original, func(b []byte) []byte { return append(b, 'x') }, false},
		"a truncated view is ignored":          {name, func(b []byte) []byte { return b[:len(b)-7] }, true},
		"a changed view is ignored":            {name, func(b []byte) []byte { b[len(b)-3] ^= 4; return b }, true},
		"an empty view is ignored":             {name, func(b []byte) []byte { return b[:120] }, true},
		"a changed head makes the ref unknown": {name, func(b []byte) []byte { b[50] ^= 1; return b }, false},
		"an empty record is not found":         {name, func([]byte) []byte { return nil }, false},
	} {
		t.Run(rule, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, Options{})
			ref := put(t, s, alice, "whole")
			if err := s.SetView(alice, ref, someView()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			changeFile(t, filepath.Join(dir, c.file(ref)), c.damage)
			s = openStore(t, dir, Options{})
			if !c.found {
				wantNotFound(t, s, alice, ref)
			} else {
				wantBytes(t, s, alice, ref, "whole")
				if v, _, err := s.View(alice, ref); err != nil || len(v.Tree.Sections) != 0 {
					t.Errorf("damaged view: %v, %+v", err, v)
				}
			}
			// The same call again repairs it.
			if again := put(t, s, alice, "whole"); again != ref {
				t.Errorf("ref %s, then %s", ref, again)
			}
			if err := s.SetView(alice, ref, someView()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = openStore(t, dir, Options{})
			wantBytes(t, s, alice, ref, "whole")
			if v, _, err := s.View(alice, ref); err != nil || len(v.Tree.Sections) != 5 {
				t.Errorf("view: %v, %d sections", err, len(v.Tree.Sections))
			}
		})
	}
}

// The record of another Ref in place of a record is damaged, whether both Refs have the
// same Original or not, and neither its Original nor its View is returned.
func TestExchangedRecords(t *testing.T) {
	other := flow.Scope{Project: "work", Subject: "bob"}
	for _, tc := range []struct {
		name    string
		version byte
		text    string // of the other Ref
		scope   flow.Scope
	}{
		{"another original", recordVersion, "other", alice},
		{"the same original in another project", recordVersion, "whole", other},
		{"another original, records of version 2", 2, "other", alice},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, Options{Memory: 1})
			refs := []string{put(t, s, alice, "whole"), put(t, s, tc.scope, tc.text)}
			scopes, texts := []flow.Scope{alice, tc.scope}, []string{"whole", tc.text}
			for i, ref := range refs {
				if err := s.SetView(scopes[i], ref, someView()); err != nil {
					t.Fatal(err)
				}
				if tc.version != recordVersion {
					changeFile(t, filepath.Join(dir, ref), func(b []byte) []byte { return asVersion(tc.version, ref, b, scopes[i].Project) })
				}
			}
			first, second, spare := filepath.Join(dir, refs[0]), filepath.Join(dir, refs[1]), filepath.Join(dir, "spare")
			if err := errors.Join(os.Rename(first, spare), os.Rename(second, first), os.Rename(spare, second)); err != nil {
				t.Fatal(err)
			}
			for i, ref := range refs { // the heads are in memory
				wantBytes(t, s, scopes[i], ref, texts[i])
				if v, _, err := s.View(scopes[i], ref); err != nil || len(v.Tree.Sections) > 0 {
					t.Errorf("view of an exchanged record: %v, %d sections", err, len(v.Tree.Sections))
				}
			}
			s.Close()
			s = openStore(t, dir, Options{})
			for i, ref := range refs {
				wantNotFound(t, s, scopes[i], ref)
				if v, _, err := s.View(scopes[i], ref); !errors.Is(err, abi.ErrNotFound) {
					t.Errorf("view after a start: %v, %d sections", err, len(v.Tree.Sections))
				}
				if again := put(t, s, scopes[i], texts[i]); again != ref {
					t.Errorf("ref %s, then %s", ref, again)
				}
				wantBytes(t, s, scopes[i], ref, texts[i])
			}
		})
	}
}

func FuzzDecodeRecord(f *testing.F) {
	v := someView()
	whole := (&record{hash: hash{1, 2, 3}, info: info, view: &v}).encode("ref")
	f.Add(whole)
	f.Add((&record{info: info}).encode("ref"))
	f.Add(whole[:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		// Fuzz the view without its checksum, which would reject almost all inputs.
		d := decoder{rest: string(b)}
		view := d.view()
		if len(view.Tree.Sections) > maxSections {
			t.Fatalf("%d sections", len(view.Tree.Sections))
		}
		r, err := decodeRecord("ref", b)
		if err != nil {
			return
		}
		again, err := decodeRecord("ref", r.encode("ref"))
		if b[0] != recordVersion {
			again.sum = r.sum
		}
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, again, r)
		}
	})
}
