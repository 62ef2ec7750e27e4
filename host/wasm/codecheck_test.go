package wasm

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// Compiled code that another user could have written is removed, and so are the descriptions
// of modules, which say that their compiled code was checked.
func TestCodeOfOtherUsersIsRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	const code, description = "wazero-v1/code", "prepared/x.json"
	for _, tt := range []struct {
		name    string
		mode    map[string]fs.FileMode
		foreign string // belongs to another user
		link    string // becomes a link
		kept    []string
	}{
		{name: "all private", kept: []string{code, description}},
		{name: "file readable by others", mode: map[string]fs.FileMode{code: 0o644}, kept: []string{code, description}},
		{name: "file writable by group", mode: map[string]fs.FileMode{code: 0o660}},
		{name: "file writable by others", mode: map[string]fs.FileMode{description: 0o602}, kept: []string{code}},
		{name: "directory of the compiler", mode: map[string]fs.FileMode{"wazero-v1": 0o770}},
		{name: "directory of descriptions", mode: map[string]fs.FileMode{"prepared": 0o777}, kept: []string{code}},
		{name: "the whole directory", mode: map[string]fs.FileMode{".": 0o777}},
		{name: "file of another user", foreign: code},
		{name: "description of another user", foreign: description, kept: []string{code}},
		{name: "directory of another user", foreign: "wazero-v1"},
		{name: "link", link: code},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "wasm")
			for _, name := range []string{code, description} {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for name, mode := range tt.mode {
				if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
					t.Fatal(err)
				}
			}
			if tt.link != "" {
				path := filepath.Join(dir, tt.link)
				if err := errors.Join(os.Rename(path, path+".target"), os.Symlink(path+".target", path), os.Rename(path+".target", filepath.Join(t.TempDir(), "x"))); err != nil {
					t.Fatal(err)
				}
			}
			var log strings.Builder
			c := codeCheck{slog.New(slog.NewTextHandler(&log, nil)), func(path string, info fs.FileInfo) error {
				if tt.foreign != "" && path == filepath.Join(dir, tt.foreign) {
					return fmt.Errorf("%w: %s belongs to uid 12345", abi.ErrDenied, path)
				}
				return homedir.CheckWriters(path, info)
			}}
			if err := c.secure(dir); err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, name := range []string{code, description} {
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					kept = append(kept, name)
				}
			}
			if fmt.Sprint(kept) != fmt.Sprint(tt.kept) {
				t.Errorf("kept %v, want %v", kept, tt.kept)
			}
			if isLogged := strings.Contains(log.String(), "another user could have changed it"); isLogged != (len(tt.kept) < 2) {
				t.Errorf("log: %q", log.String())
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o022 != 0 {
				t.Errorf("directory: %v, %v", info, err)
			}
		})
	}
}

// A directory that stays that of another user is an error: without it, modules that are not
// trusted would run in this process.
func TestCodeCacheOfAnotherUserIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := codeCheck{slog.New(slog.DiscardHandler), func(path string, _ fs.FileInfo) error { return fmt.Errorf("%w: %s", abi.ErrDenied, path) }}
	if err := c.secure(dir); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("%v, want ErrDenied", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newCodeCheck(slog.New(slog.DiscardHandler)).secure(file); err == nil {
		t.Error("a file in place of the directory is accepted")
	}
}

// A module whose compiled code was writable by others works, and its code is written again.
func TestCodeWithWrongModeIsCompiledAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := filepath.Join(t.TempDir(), "wasm")
	file := (&script{}).wasm()
	load := func() {
		t.Helper()
		b := newBench(t, func(o *Options) { o.CacheDir = dir })
		m, err := b.Load(t.Context(), "script", file, false)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
		b.Close(t.Context())
	}
	load()
	paths, err := codeCacheFiles(dir, compiledFiles)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no compiled code: %v, %v", paths, err)
	}
	for _, path := range paths {
		if err := errors.Join(os.WriteFile(path, []byte("swapped"), 0o600), os.Chmod(path, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	load()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o022 != 0 || info.Size() == int64(len("swapped")) {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}
