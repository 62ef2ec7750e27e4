package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportUsesOutIfErrOutCannotBeWritten(t *testing.T) {
	full, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	full.Close() // each write fails
	for _, tc := range []struct {
		name   string
		errOut io.Writer
		want   string
	}{
		{"error output on a full disk", full, "error: no space left\n"},
		{"working error output", io.Discard, ""},
	} {
		var out strings.Builder
		report(&out, tc.errOut, errors.New("no space left"))
		if got := out.String(); !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: out has %q", tc.name, got)
		}
	}
}
