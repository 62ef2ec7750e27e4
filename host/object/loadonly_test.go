package object

import (
	"fmt"
	"slices"
	"testing"
)

// A write must not read the files of other objects: with n objects, n writes would
// read n*n files. So a change of another file is not noticed before the next Load.
func TestApplyAndDeleteReadOnlyTheirOwnFiles(t *testing.T) {
	s, home := openHome(t, map[string]string{"servers/a.yaml": serverYAML("a"), "servers/b.yaml": serverYAML("b"), "prompts/p/x.md": "one\n"})
	before, _ := s.Load()
	writeHome(t, home, "servers/b.yaml", "kind: [")
	writeHome(t, home, "servers/c.yaml", serverYAML("c"))

	apply(t, s, serverYAML("a"))
	if s.Snapshot() != before {
		t.Error("an unchanged object made a new snapshot")
	}
	apply(t, s, "kind: Prompt\nmetadata: {name: y, project: p}\nspec: {content: two}\n")
	if _, ok := s.Snapshot().Prompt("p", "y"); !ok {
		t.Error("a written prompt is not loaded")
	}
	if _, err := s.Delete(Key{KindPrompt, "p", "x"}); err != nil {
		t.Error(err)
	}
	if _, ok := s.Snapshot().Prompt("p", "x"); ok {
		t.Error("a deleted prompt is still loaded")
	}
	if _, ok := s.Snapshot().Server("c"); ok {
		t.Error("the file of another object was read")
	}
	if _, problems := s.Loaded(); len(problems) > 0 {
		t.Errorf("the file of another object was read: %v", problems)
	}
	snap, problems := s.Load()
	wantProblem(t, problems, "servers/b.yaml", "sequence end")
	if len(snap.List(KindServer)) != 3 {
		t.Errorf("servers %v, want a, b and c", snap.List(KindServer))
	}
}

// What writes leave is what a Load of all files finds: revision and problems.
func TestWritesLeaveWhatALoadFinds(t *testing.T) {
	prompt := func(content string) string {
		return "kind: Prompt\nmetadata: {name: x, project: p}\nspec: {content: " + content + "}\n"
	}
	for rule, files := range map[string]map[string]string{
		"no file":      {},
		"valid":        {"prompts/p/x.md": "one\n"},
		"invalid":      {"prompts/p/x.yaml": "kind: ["},
		"in two files": {"prompts/p/x.md": "one\n", "prompts/p/x.yaml": prompt("two")},
		"others":       {"prompts/p/z.yaml": "kind: [", "prompts/p/w.md": "one\n", "prompts/p/x.yml": "one"},
	} {
		t.Run(rule, func(t *testing.T) {
			s, home := openHome(t, files)
			s.Load()
			check := func(after string) {
				t.Helper()
				snap, problems := s.Loaded()
				full, err := OpenStore(home)
				if err != nil {
					t.Fatal(err)
				}
				defer full.Close()
				wantSnap, want := full.Load()
				if got, want := problemTexts(problems), problemTexts(want); !slices.Equal(got, want) {
					t.Errorf("after %s problems\n%q, want\n%q", after, got, want)
				}
				if snap.Revision() != wantSnap.Revision() || len(snap.objects) != len(wantSnap.objects) {
					t.Errorf("after %s: another snapshot than that of a load", after)
				}
			}
			apply(t, s, prompt("two"))
			check("apply")
			apply(t, s, prompt("three"))
			check("the second apply")
			apply(t, s, prompt("three"))
			check("apply of an unchanged object")
			if _, err := s.Delete(Key{KindPrompt, "p", "x"}); err != nil {
				t.Fatal(err)
			}
			check("delete")
		})
	}
}

func problemTexts(problems []Problem) (list []string) {
	for _, p := range problems {
		list = append(list, fmt.Sprint(p.File, " ", p.Err))
	}
	slices.Sort(list)
	return list
}
