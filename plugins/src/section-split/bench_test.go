package sectionsplit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// BenchmarkSplit splits each text of the corpus and some code, with and without its name. Its profile is
// default.pgo, with which the module is compiled: see "make profile".
func BenchmarkSplit(b *testing.B) {
	texts := corpus(b, "*")
	code, _ := filepath.Glob("../scan/*/*.go")
	for _, f := range code {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		texts[f] = string(text)
	}
	maps.DeleteFunc(texts, func(_, text string) bool { return len(text) > 300_000 }) // or they would be most of the profile
	names := slices.Sorted(maps.Keys(texts))
	for b.Loop() {
		for _, name := range names {
			for _, hint := range []string{"", name} {
				stagetest.Run("section-split", stagetest.Call{Input: texts[name], Config: "{}", Context: stagetest.Context{Hint: hint}})
			}
		}
	}
}
