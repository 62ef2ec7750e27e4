package code

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// If the language that leads is refused, the next ones are tried.
func TestRefusedLanguage(t *testing.T) {
	text := strings.Repeat("import duties rose again\n", 20) + strings.Repeat("#include <a.h>\nstatic int f(int x)\n{\n\treturn x;\n}\n", 60)
	if d, ok := Scan([]byte(text), part.Clues{}); !ok || d.Lines[0] != "language: c" {
		t.Errorf("got %t, %+v, want language: c", ok, d)
	}
}

// The lines of a source identify its language, except for a few that are tables or one long comment.
func TestLanguageOfSources(t *testing.T) {
	wrong, all := 0, 0
	for _, dir := range []string{"encoding/json", "go/parser", "io", "net/http", "net/url", "text/template"} {
		files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(text, []byte("\nfunc ")) < 2 {
				continue
			}
			all++
			if d, ok := Scan(text, part.Clues{}); !ok || !strings.HasPrefix(d.Lines[0], "language: go") {
				t.Logf("%s: %t", file, ok)
				wrong++
			}
		}
	}
	if wrong*20 > all {
		t.Errorf("%d of %d sources are not recognized as Go", wrong, all)
	}
}

// The first statement is no proof: the lines decide.
func TestOpeningProvesNothing(t *testing.T) {
	text := "package deal\n\n"
	for range 60 {
		text += "It is a sentence of some words, and another one follows it here.\n\n"
	}
	if _, ok := Scan([]byte(text), part.Clues{}); ok {
		t.Error("prose is recognized as code")
	}
}
