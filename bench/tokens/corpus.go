package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// file is a measured content.
type file struct {
	name string
	kind string // of the targets: a key of pickers
	text string
}

// kinds maps file name extensions to kinds, for files that are not in labels.tsv.
var kinds = map[string]string{
	".json": "json", ".geojson": "json", ".ipynb": "json",
	".xml": "xml", ".svg": "xml", ".gpx": "xml", ".kml": "xml", ".csl": "xml", ".xsl": "xml", ".xsd": "xml", ".yaml": "yaml", ".yml": "yaml", ".md": "prose", ".mdx": "prose",
	".html": "html", ".htm": "html", ".go": "go", ".rs": "rust", ".ts": "typescript", ".tsx": "typescript", ".js": "typescript", ".java": "java", ".kt": "kotlin", ".swift": "swift", ".php": "php", ".py": "python", ".cs": "csharp",
}

// load reads the files of a directory and n source files of Go.
func load(dir string, n int) ([]file, error) {
	labels, err := readLabels(filepath.Join(dir, "labels.tsv"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if e.IsDir() || e.Name() == "labels.tsv" || e.Name() == "SOURCES.md" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		kind := cmp.Or(labels[e.Name()], kinds[strings.ToLower(filepath.Ext(e.Name()))], "lines")
		text := string([]rune(string(b))) // as in JSON: U+FFFD for each byte of invalid UTF-8
		files = append(files, file{e.Name(), kind, text})
	}
	sources, err := goSources(n)
	return append(files, sources...), err
}

// readLabels reads lines with a name, a tab and a type. The file is optional.
func readLabels(path string) (map[string]string, error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	labels := map[string]string{}
	for line := range strings.Lines(string(b)) {
		name, label, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: %q: want a name, a tab and a type", path, line)
		}
		labels[name] = targetKind(label)
	}
	return labels, err
}

// targetKind returns the key of pickers for a type.
func targetKind(label string) string {
	switch label {
	case "json-array", "json-object":
		return "json"
	case "mixed":
		return "prose"
	case "ndjson", "csv", "tsv", "log", "logs", "diff", "code":
		return "lines"
	}
	return label
}

// goSources returns n files of the standard library of some size, evenly distributed.
func goSources(n int) ([]file, error) {
	if n == 0 {
		return nil, nil
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	var paths []string
	err = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "vendor" || e.Name() == "cmd") {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err == nil && strings.HasSuffix(p, ".go") && info.Size() > 20_000 && info.Size() < 400_000 {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil || len(paths) < n {
		return nil, fmt.Errorf("%d Go files of 20 KB below %s: %w", len(paths), root, err)
	}
	slices.Sort(paths)
	var files []file
	for i := range n {
		p := paths[i*len(paths)/n]
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name, _ := filepath.Rel(root, p) // cannot fail below root
		files = append(files, file{filepath.ToSlash(name), "go", string(b)})
	}
	return files, nil
}

// Tools that return a file: as a text block, or like the filesystem server, which repeats
// the text in structuredContent.
const readPlain, readWrapped = "read_file", "read_wrapped"

// reader returns an MCP server with these tools.
func reader(files []file) rig.Upstream {
	byName := map[string]string{}
	for _, f := range files {
		byName[f.name] = f.text
	}
	return rig.Upstream{
		Tools: []string{readPlain, readWrapped},
		Result: func(tool string, args json.RawMessage) ([]byte, error) {
			var want struct{ Path string }
			if err := json.Unmarshal(args, &want); err != nil {
				return nil, err
			}
			if tool == readWrapped {
				return rig.WrappedText(byName[want.Path]), nil
			}
			return rig.Text(byName[want.Path]), nil
		},
	}
}
