package factory

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestConfirm(t *testing.T) {
	for _, tc := range []struct {
		name, typed   string
		yes, terminal bool
		want          bool
		status        int
	}{
		{"--yes skips the question", "", true, false, true, 0},
		{"y", "y\n", false, true, true, 0},
		{"YES", " YES \n", false, true, true, 0},
		{"empty answer is no", "\n", false, true, false, 0},
		{"end of input is no", "", false, true, false, 0},
		{"no terminal is an error", "y\n", false, false, false, problem.ExitUsage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, in, _, errOut := iostreams.Test()
			s.InTerminal = tc.terminal
			in.WriteString(tc.typed)
			got, err := (&Factory{IO: s}).Confirm(tc.yes, "Write %s?", "x")
			if got != tc.want || problem.Exit(err) != tc.status {
				t.Errorf("got %v, %v", got, err)
			}
			if asked := strings.Contains(errOut.String(), "Write x? [y/N]"); asked != (tc.terminal && !tc.yes) {
				t.Errorf("asked: %q", errOut)
			}
		})
	}
}

func TestHome(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"MCPCTL_HOME", map[string]string{"MCPCTL_HOME": "/x/y", "HOME": "/home/u"}, "/x/y"},
		{"default", map[string]string{"HOME": "/home/u"}, "/home/u/.mcpctl"},
		{"nowhere", nil, ""},
	} {
		got, err := (&Factory{Env: func(k string) string { return tc.env[k] }}).Home()
		if got != tc.want || (err != nil) != (tc.want == "") {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

// An empty home directory is an error; it would otherwise mean the working directory.
func TestUserHome(t *testing.T) {
	for _, tc := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/home/u", "USERPROFILE": "/x"}, "/home/u"},
		{"linux", map[string]string{"USERPROFILE": "/x"}, ""},
		{"windows", map[string]string{"USERPROFILE": `C:\Users\u`}, `C:\Users\u`},
		{"windows", map[string]string{"HOME": `D:\u`, "USERPROFILE": `C:\Users\u`}, `D:\u`},
		{"windows", nil, ""},
	} {
		got, err := userHome(tc.goos, func(k string) string { return tc.env[k] })
		if got != tc.want || errors.Is(err, abi.ErrConfig) != (tc.want == "") {
			t.Errorf("%s with %v: %q, %v; want %q", tc.goos, tc.env, got, err, tc.want)
		}
	}
}

func TestReadFileNotFound(t *testing.T) {
	if _, err := (&Factory{}).ReadFile(t.TempDir() + "/none"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("err = %v, want a not-found", err)
	}
}

func TestInputIsBounded(t *testing.T) {
	s, in, _, _ := iostreams.Test()
	in.Write(make([]byte, maxStream<<20+1))
	if _, err := (&Factory{IO: s}).ReadFile("-"); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("err = %v, want a limit", err)
	}
}

// TestFileIsBounded checks that a file exceeding the limit is not read.
func TestFileIsBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxFile<<20+1); err != nil { // a sparse file needs no disk space
		t.Fatal(err)
	}
	if _, err := (&Factory{}).ReadFile(large); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("err = %v, want a limit", err)
	}
}

// TestFileThatGrows checks that a file is read completely if it is larger than its initial size.
func TestFileThatGrows(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 100_000} {
		want := bytes.Repeat([]byte("x"), size)
		for _, room := range []int{0, 1, size, size + 1} {
			got, err := readInto(make([]byte, 0, room), bytes.NewReader(want), "x", maxFile)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes into %d: %d bytes, %v", size, room, len(got), err)
			}
		}
	}
}
