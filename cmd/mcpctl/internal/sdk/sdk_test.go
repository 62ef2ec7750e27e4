package sdk

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The archive is generated: it must hold what sdk-go holds now.
func TestArchiveIsTheSDK(t *testing.T) {
	src := filepath.Join("..", "..", "..", "..", "sdk-go")
	r, err := zip.NewReader(bytes.NewReader(goZip), int64(len(goZip)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(src, f.Name))
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s differs from the source (%v): go generate ./cmd/mcpctl/...", f.Name, err)
		}
	}
}

func TestUnpackOnceAndUse(t *testing.T) {
	dir := t.TempDir()
	path, err := Go(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil {
		t.Error(err)
	}
	again, err := Go(dir)
	if err != nil || again != path {
		t.Errorf("second time %s, %v; want %s", again, err, path)
	}
	entries, _ := os.ReadDir(filepath.Join(dir, "go"))
	if len(entries) != 1 {
		t.Errorf("%d folders are left, want one", len(entries))
	}
}
