package twin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// files writes files below dir.
func files(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCopyOfAHome(t *testing.T) {
	from, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	files(t, elsewhere, map[string]string{"linked.md": "linked"})
	files(t, from, map[string]string{
		"projects/home.yaml": "a", "prompts/home/rules.md": "b", "stages/x.wasm": "c", "config.yaml": "d", "secrets.yaml": "e",
		"cache/wasm/code": "f", "cache/proxymodel/cache.db": "g", "originals/1": "h", "ref.key": "i", "token": "j", "stages.lock": "k", "tools.lock": "l",
	})
	for link, to := range map[string]string{"prompts/shared": elsewhere, "projects/loop": from, "servers": filepath.Join(from, "nowhere")} {
		if err := os.Symlink(to, filepath.Join(from, link)); err != nil {
			t.Fatal(err)
		}
	}
	copied, err := copyHome(from)
	if err != nil {
		t.Fatal(err)
	}
	home := copied.dir
	for name, want := range map[string]string{"projects/home.yaml": "a", "prompts/home/rules.md": "b", "prompts/shared/linked.md": "linked",
		"stages/x.wasm": "c", "config.yaml": "d", "secrets.yaml": "e", "cache/wasm/code": "f", "stages.lock": "k", "tools.lock": "l"} {
		if got, err := os.ReadFile(filepath.Join(home, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"cache/proxymodel", "originals", "ref.key", "token", "servers"} {
		if _, err := os.Lstat(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is in the copy: %v", name, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(home, "secrets.yaml")); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("secrets were copied: %v, %v", info, err)
	}
	if err := copied.remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(from, "cache", "wasm", "code")); err != nil {
		t.Errorf("removing the copy took of the home: %v", err)
	}
}
