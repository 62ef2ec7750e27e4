package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Every test that the tables name exists.
func TestTestsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, f := range slices.Concat(table, teamTable) {
		for _, test := range f.Tests {
			have := tests(t, filepath.Join(root, test.Package))
			for _, name := range test.Names {
				if test.Package == scripts {
					if _, err := os.Stat(filepath.Join(root, scripts, "testdata", "script", name+".txtar")); err != nil {
						t.Errorf("%s: %v", f.What, err)
					}
				} else if !slices.Contains(have, name) {
					t.Errorf("%s: %s has no %s", f.What, test.Package, name)
				}
			}
		}
	}
}

var function = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

func tests(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests (%v)", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}
