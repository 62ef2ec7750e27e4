package docstest

import (
	"reflect"
	"testing"
)

const page = "# A page\n\n" +
	"```go a.go\npackage a\n```\n" +
	"```rust src/lib.rs\nfn a() {}\n```\n" +
	"```yaml\nan: excerpt\n```\n" +
	"```sh\ncd x    # into it\nbuild     # Go\ncargo b   # Rust: by cargo\n```\n" +
	"```\nmcpctl one  # Go\n  shown  1\nmcpctl two  # Rust\nerror: none\necho x | mcpctl three\n```\n" +
	"## Words\n\n| | Go | Rust |\n|---|---|---|\n| a word | `c.A()` | `c.a()` |\n\n## More\n"

func TestSteps(t *testing.T) {
	want := []Step{
		{Line: 4, File: "a.go", Text: "package a\n"},
		{Line: 14, Dir: "x", Command: "build"},
		{Line: 18, Dir: "x", Command: "mcpctl one", Want: []string{"shown  1"}},
		{Line: 22, Dir: "x", Command: "echo x | mcpctl three"},
	}
	if got := Steps(page, "Go"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	rust := Steps(page, "Rust")
	if len(rust) != 4 || rust[0].File != "src/lib.rs" || rust[1].Command != "cargo b" || !rust[2].Fails() || rust[3].Fails() {
		t.Errorf("Rust: %+v", rust)
	}
}

func TestShown(t *testing.T) {
	s := Step{Want: []string{"NAME  SOURCE", "a local"}}
	if err := s.Shown("x\nNAME SOURCE STATUS\na  local  ready\n"); err != nil {
		t.Error(err)
	}
	if s.Shown("a local\nNAME SOURCE\n") == nil {
		t.Error("the order does not matter")
	}
	if s.Shown("NAME SOURCE\na localhost\n") == nil {
		t.Error("half a word is enough")
	}
}

func TestTable(t *testing.T) {
	want := []Row{{"a word", "`c.A()`", "`c.a()`"}}
	if got := Table(page, "## Words"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Table(page, "## More"); len(got) != 0 {
		t.Errorf("a table below a heading without one: %q", got)
	}
}
