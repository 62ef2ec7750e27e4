package hcl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// oracleItems returns the blocks and attributes of a body, as "depth name".
func oracleItems(depth int, body *hclsyntax.Body) (out []string) {
	type item struct {
		at   int
		name string
		body *hclsyntax.Body
	}
	var all []item
	for _, a := range body.Attributes {
		all = append(all, item{a.SrcRange.Start.Byte, a.Name, nil})
	}
	for _, b := range body.Blocks {
		all = append(all, item{b.TypeRange.Start.Byte, strings.Join(append([]string{b.Type}, b.Labels...), "."), b.Body})
	}
	slices.SortFunc(all, func(a, b item) int { return a.at - b.at })
	for _, it := range all {
		out = append(out, fmt.Sprintf("%d %s", depth, it.name))
		if it.body != nil {
			out = append(out, oracleItems(depth+1, it.body)...)
		}
	}
	return out
}

// ownItems is oracleItems for the items of the scanner, without the keys of objects.
func ownItems(text []byte) []string {
	s := &scanner{tokens: tokens{b: text}}
	s.List = newList(text)
	s.read(func() bool { return true })
	depth := make([]int, len(s.Items))
	var out []string
	for i, it := range s.Items {
		if it.Parent >= 0 {
			if s.infos[it.Parent].form == object || depth[it.Parent] < 0 {
				depth[i] = -1
				continue
			}
			depth[i] = depth[it.Parent] + 1
		}
		out = append(out, fmt.Sprintf("%d %s", depth[i], s.appendID(nil, int32(i), maxLabels)))
	}
	return out
}

// compare fails a test if another parser finds other blocks and attributes in a valid text. It
// reports whether the text is valid.
func compare(t *testing.T, name string, text []byte) bool {
	f, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags.HasErrors() {
		return false
	}
	want := oracleItems(0, f.Body.(*hclsyntax.Body))
	if got := ownItems(text); !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, ok := Scan(text, part.Clues{File: "a.tf"}); !ok && len(want) > 0 {
		t.Errorf("%s is refused", name)
	}
	return true
}

// Random HCL has the blocks and attributes that another parser finds.
func TestItemsMatchAnotherParser(t *testing.T) {
	valid := 0
	for seed := range uint64(500) {
		w := &writer{rnd: rand.New(rand.NewPCG(seed, 3))}
		w.body(0)
		if compare(t, fmt.Sprintf("seed %d", seed), []byte(w.String())) {
			valid++
		} else if valid == 0 {
			t.Logf("seed %d is invalid:\n%s", seed, w.String())
		}
		if t.Failed() {
			t.Fatal(w.String())
		}
	}
	if valid < 450 {
		t.Errorf("%d of 500 texts are valid", valid)
	}
}

// TestDirectory compares the files of a directory:
//
//	HCL_DIRECTORY=... go test -run TestDirectory -v ./scan/hcl
func TestDirectory(t *testing.T) {
	directory := os.Getenv("HCL_DIRECTORY")
	if directory == "" {
		t.Skip("HCL_DIRECTORY is not set")
	}
	n := 0
	filepath.WalkDir(directory, func(name string, _ os.DirEntry, _ error) error {
		if text, err := os.ReadFile(name); err == nil && compare(t, name, text) {
			n++
		}
		return nil
	})
	t.Logf("%d files", n)
}
