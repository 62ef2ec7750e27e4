package host

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// twoTrees is a content with two ways to split it.
var twoTrees = struct {
	text        []byte
	first, then abi.Tree
}{
	[]byte("alpha\nbeta\n"),
	abi.Tree{Sections: []abi.Section{{Parent: -1, Start: 0, End: 6, ID: "a"}}},
	abi.Tree{Sections: []abi.Section{{Parent: -1, Start: 6, End: 11, ID: "a"}}},
}

// A Doc is cached for the next read, until its tree, its original or its scope
// changes.
func TestReadCachesDocUntilItsTreeChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: subindex, gated: false}\n"})
	ref, err := r.Store(t.Context(), scope, toolResult(twoTrees.text, ""))
	if err != nil {
		t.Fatal(err)
	}
	set := func(tree abi.Tree) {
		if err := r.contents.SetView(scope, ref, content.View{Tree: tree}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) *section.Doc {
		t.Helper()
		if a := r.Read(t.Context(), scope, ref, "a"); string(a.Text) != want {
			t.Errorf("section a is %q, want %q", a.Text, want)
		}
		doc, err := r.Doc(scope, ref)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	set(twoTrees.first)
	doc := read("alpha\n")
	if read("alpha\n") != doc {
		t.Error("the second read created another Doc for the same tree")
	}
	set(twoTrees.then)
	if read("beta\n") == doc {
		t.Error("the Doc of an old tree was returned")
	}
	for rule, scope := range map[string]flow.Scope{"another project": {Project: "other"}, "another subject": {Project: "home", Subject: "eve"}} {
		a := r.Read(t.Context(), scope, ref, "a")
		if want := fmt.Sprintf("nothing stored under ref %q: call the tool again", ref); !a.IsError || string(a.Text) != want {
			t.Errorf("%s gets %q, want %q", rule, a.Text, want)
		}
	}
}

func TestConcurrentReadsShareDoc(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: subindex, gated: false}\n"})
	shown := r.show(t, toolResult(recordsOf(2000, 100), ""))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				id := fmt.Sprintf("r%05x", 100*i+n)
				if a := r.Read(t.Context(), scope, shown.Ref, id); !bytes.Contains(a.Text, []byte(id)) {
					t.Errorf("%s gets %.80q", id, a.Text)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkRead measures one read_section of stored content: the index, leaves by
// id, by position and by path, and windows.
func BenchmarkRead(b *testing.B) {
	flows, err := os.ReadFile("../testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		b.Fatal(err)
	}
	r := newRig(b, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: subindex, gated: false}\n"})
	for _, bc := range []struct {
		name  string
		text  []byte
		paths []string
	}{
		{"115KB", flows, []string{"", "17", "?mqtt"}},
		{"12MB", recordsOf(40_000, 300), []string{"", "r09000", "39000", "r09000/type", "39000/type", "~L1-1@11000000-11003000", "?t7"}},
		{"12MB of lines", bytes.Repeat([]byte("a line of a log that goes on\n"), 420_000), []string{"", "~L379311-379410@10999990", "~L379311-379410"}},
	} {
		ref, err := r.Store(b.Context(), scope, toolResult(bc.text, ""))
		if err != nil {
			b.Fatal(err)
		}
		r.show(b, toolResult(bc.text, ""))
		for _, path := range bc.paths {
			b.Run(fmt.Sprintf("%s/%q", bc.name, path), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if a := r.Read(b.Context(), scope, ref, path); a.IsError {
						b.Fatalf("%s", a.Text)
					}
				}
			})
		}
	}
}

// recordsOf returns a JSON array in one line with n records of about size bytes.
func recordsOf(n, size int) []byte {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `%c{"id":"r%05x","type":"t%d","text":"%s"}`, "[,"[min(i, 1)], i, i%9, strings.Repeat("word ", size/5-8))
	}
	text.WriteByte(']')
	return []byte(text.String())
}
