package main

import (
	"io"
	"strings"
	"testing"
)

// Every module gives what the function in Go gives: else its time means nothing.
func TestModulesDoTheSame(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "dist", 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"heading split of 128 KB", "upper-case 128 KB", "C", "Go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestNoModules(t *testing.T) {
	if err := run(t.Context(), io.Discard, t.TempDir(), 1); err == nil {
		t.Error("no error without modules")
	}
}
