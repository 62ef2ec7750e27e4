package code

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What a sample proves, all lines prove, and of most programs a sample is enough.
func TestSampleProvesLittleTooMuch(t *testing.T) {
	proven, all := 0, 0
	check := func(name string, text []byte, l *language, named bool) {
		w, ok := written(text, l)
		if !ok || len(w.lines) < 2*sampleLines {
			return
		}
		all++
		if !w.sample().proves(l, named) {
			return
		}
		proven++
		if !w.evidence().proves(l, named) {
			t.Errorf("%s: a sample proves %s (named %t), all lines do not", name, l.name, named)
		}
	}
	for _, dir := range []string{"encoding/json", "go/parser", "net/http", "os", "unicode"} {
		files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			check(file, text, byName(t, "go"), true)
			check(file, text, byName(t, "go"), false)
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
		for l := range languages {
			check(name, []byte(text), l, false)
			check(name, []byte(text), l, true)
		}
	}
}

// written is the writer of a text that was read as code of a language.
func written(text []byte, l *language) (*writer, bool) {
	v := newVocabulary(l)
	x := newLexer(text, v)
	if !x.run() {
		return nil, false
	}
	w := &writer{b: text, v: v, lines: x.lines}
	w.write()
	return w, true
}
