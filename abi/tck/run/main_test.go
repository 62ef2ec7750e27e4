package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	failed, err := run(t.Context(), &out, "../dist/go.wasm", []string{"stage/find", "controller/close"})
	if err != nil || failed != 0 || !strings.HasSuffix(out.String(), "\n3 passed, 0 failed\n") || !strings.Contains(out.String(), "passed  stage/find") {
		t.Errorf("%d failed, %v\n%s", failed, err, out.String())
	}
}

func TestTableOfFailingGuest(t *testing.T) {
	var out strings.Builder
	failed, err := run(t.Context(), &out, "../../../testdata/abi/v1/lead.wasm", []string{"stage/find"})
	if err != nil || failed != 2 || !strings.Contains(out.String(), "FAILED  stage/find") || !strings.Contains(out.String(), "no want came, want\n") {
		t.Errorf("%d failed, %v\n%s", failed, err, out.String())
	}
}

func TestFileThatIsNotAModule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.wasm")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if _, err := run(t.Context(), &out, path, nil); err == nil || out.Len() > 0 {
		t.Errorf("no error, or output:\n%s", out.String())
	}
}
