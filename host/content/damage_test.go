package content

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
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
			path := filepath.Join(dir, c.file(ref))
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
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

func FuzzDecodeRecord(f *testing.F) {
	v := someView()
	whole := (&record{hash: hash{1, 2, 3}, info: info, view: &v}).encode()
	f.Add(whole)
	f.Add((&record{info: info}).encode())
	f.Add(whole[:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		// Fuzz the view without its checksum, which would reject almost all inputs.
		d := decoder{rest: string(b)}
		view := d.view()
		if len(view.Tree.Sections) > maxSections {
			t.Fatalf("%d sections", len(view.Tree.Sections))
		}
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		again, err := decodeRecord(r.encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, again, r)
		}
	})
}
