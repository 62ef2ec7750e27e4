package sdk

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/sdk/pack"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

var root = filepath.Join("..", "..", "..", "..")

// The generated archives contain exactly the current files of their directories.
func TestArchivesEqualDirectories(t *testing.T) {
	for l, a := range archives {
		compare(t, a.zip, filepath.Join(root, a.source), false)
		if _, ok := examples[what{abi.KindStage, l}]; !ok {
			t.Errorf("no stage in %s", l)
		}
	}
	for w, e := range examples {
		compare(t, e.zip, filepath.Join(root, "examples", string(w.kind)+"s", e.role+"-"+string(w.language)), true)
	}
}

func compare(t *testing.T, archive []byte, dir string, all bool) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := pack.Files(dir, all)
	if err != nil || len(want) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(want), err)
	}
	var got []string
	for _, f := range r.File {
		got = append(got, f.Name)
		if !slices.Contains(want, f.Name) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil || !bytes.Equal(text.Bytes(), source) {
			t.Errorf("%s of %s differs from the source (%v): go generate ./cmd/mcpctl/...\n%s", f.Name, dir, err,
				textdiff.Lines("source", "archive", string(source), text.String()))
		}
	}
	if !slices.Equal(got, want) {
		lines := func(names []string) string { return strings.Join(append(names, ""), "\n") }
		t.Errorf("archive of %s holds other files: go generate ./cmd/mcpctl/...\n%s", dir, textdiff.Lines("folder", "archive", lines(want), lines(got)))
	}
}

func TestUnpackOnceAndUse(t *testing.T) {
	dir := t.TempDir()
	path, err := Unpack(toolchain.Go, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil {
		t.Error(err)
	}
	again, err := Unpack(toolchain.Go, dir)
	if err != nil || again != path {
		t.Errorf("second time %s, %v; want %s", again, err, path)
	}
	entries, _ := os.ReadDir(filepath.Join(dir, "go"))
	if len(entries) != 1 {
		t.Errorf("%d folders are left, want one", len(entries))
	}
}
