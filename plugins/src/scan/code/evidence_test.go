package code

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// If a sample proves a language, all lines do, and a sample is enough for most programs.
func TestSampleAgreesWithAllLines(t *testing.T) {
	proven, all := 0, 0
	check := func(name string, text []byte, l *language.Language, named bool) {
		w, ok := readTree(text, l)
		if !ok || len(w.lines) < 2*sampleLines {
			return
		}
		all++
		if !w.sampleEvidence().proves(l, named) {
			return
		}
		proven++
		if !w.evidence().proves(l, named) {
			t.Errorf("%s: a sample proves %s (named %t), all lines do not", name, l.Name, named)
		}
	}
	for _, dir := range []string{"encoding/json", "go/parser", "net/http", "os", "unicode"} {
		files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			check(file, text, language.ByName("go"), true)
			check(file, text, language.ByName("go"), false)
		}
	}
	if proven*2 < all {
		t.Errorf("a sample is enough for %d of %d sources", proven, all)
	}
	code := strings.Repeat("def f(x):\n    return x\n\n", 20)
	for name, text := range map[string]string{
		"prose and code": strings.Repeat(prose, 60) + code,
		"code and prose": code + strings.Repeat(prose, 60),
		"lines of words": strings.Repeat("import duties rose again last year\n", 300),
	} {
		for l := range language.All {
			check(name, []byte(text), l, false)
			check(name, []byte(text), l, true)
		}
	}
}

// readTree reads a text as code of a language.
func readTree(text []byte, l *language.Language) (*tree, bool) {
	s, ok := read(text, language.NewVocabulary(l))
	if !ok {
		return nil, false
	}
	return buildTree(s), true
}
