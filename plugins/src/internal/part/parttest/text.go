package parttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// contents is the path of the corpus from the directory of a package beside part.
const contents = "../../../../testdata/content"

// ReadContent returns a file of the corpus.
func ReadContent(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(contents, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ReadContents returns the files of the corpus that match a pattern, by name.
func ReadContents(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(contents, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file of the corpus is called %s: %v", pattern, err)
	}
	files := make(map[string][]byte)
	for _, path := range paths {
		files[filepath.Base(path)] = ReadContent(t, filepath.Base(path))
	}
	return files
}

// Lines joins n lines.
func Lines(n int, line func(i int) string) string {
	var w strings.Builder
	for i := range n {
		w.WriteString(line(i) + "\n")
	}
	return w.String()
}

// List returns the parts of a document as "id | title", indented by depth.
func List(d *part.Doc) (out []string) {
	depth := make([]int, len(d.Parts))
	for i, p := range d.Parts {
		if p.Parent >= 0 {
			depth[i] = depth[p.Parent] + 1
		}
		var n part.Name
		d.Name(i, &n)
		out = append(out, fmt.Sprintf("%s%s | %s", strings.Repeat(" ", depth[i]), n.ID, n.Title))
	}
	return out
}

// NameFirst names the first hundred parts, because a hostile document may have a million.
func NameFirst(d *part.Doc) {
	for i := range min(len(d.Parts), 100) {
		var n part.Name
		d.Name(i, &n)
	}
}
