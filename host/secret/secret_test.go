package secret

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

const canary = "canary-7f3a"

func TestTemplate(t *testing.T) {
	vars := func(name string) (Value, bool) {
		v, ok := map[string]string{"A": "1", "B_2": "two", "EMPTY": ""}[name]
		return New(v), ok
	}
	for _, c := range []struct{ in, want, shown string }{
		{"", "", ""},
		{"plain", "plain", "***"},
		{"${A}", "1", "${A}"},
		{"Bearer ${A}-${B_2}", "Bearer 1-two", "***${A}***${B_2}"},
		{"$A $ {x} }", "$A $ {x} }", "***"},
		{"$${A}", "${A}", "***"},
		{"x$${A}${A}", "x${A}1", "***${A}"},
		{"${EMPTY}", "", "${EMPTY}"},
		{"${A:-x}", "1", "${A:-***}"},
		{"${NONE:-x y:-z}", "x y:-z", "${NONE:-***}"},
		{"${EMPTY:-x}", "x", "${EMPTY:-***}"},
		{"${NONE:-}", "", "${NONE:-}"},
		{"/a/${NONE:-b}/${A}", "/a/b/1", "***${NONE:-***}***${A}"},
	} {
		tmpl, err := ParseTemplate(c.in)
		if err != nil {
			t.Fatalf("%q: %v", c.in, err)
		}
		if got, err := tmpl.Expand(vars); err != nil || got.Reveal() != c.want {
			t.Errorf("%q expands to %q, %v; want %q", c.in, got.Reveal(), err, c.want)
		}
		if tmpl.String() != c.shown {
			t.Errorf("%q prints as %q, want %q", c.in, tmpl, c.shown)
		}
		if tmpl.Source() != c.in {
			t.Errorf("%q is written back as %q", c.in, tmpl.Source())
		}
	}
	for _, bad := range []string{"${", "${A", "${}", "${1A}", "${A B}", "${A-B}", "${A:B}", "${:-x}", "${A:-${B}}"} {
		if _, err := ParseTemplate(bad); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%q: %v, want abi.ErrConfig", bad, err)
		}
	}
}

// TestSecretsFile checks that the file must be private, and that its errors show no
// value.
func TestSecretsFile(t *testing.T) {
	home := t.TempDir()
	if s, err := Load(home); err != nil || len(s.values) != 0 {
		t.Fatalf("no file: %v, %v", s, err)
	}
	path := filepath.Join(home, FileName)
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("TOKEN: "+canary+"\n", 0o600)
	s, err := Load(home)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Lookup(nil)("TOKEN"); !ok || v.Reveal() != canary {
		t.Errorf("TOKEN is %q, %v", v.Reveal(), ok)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
		write("TOKEN: x\n", mode)
		if _, err := Load(home); !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v, want denied with the way out", mode, err)
		}
	}
	for _, bad := range []string{"A-B: " + canary, "TOKEN: [" + canary + "]", "TOKEN: \"" + canary, "- " + canary, "A: x\nA: " + canary, "A: x\n---\nB: " + canary} {
		write(bad, 0o600)
		_, err := Load(home)
		if !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%q: %v, want abi.ErrConfig", bad, err)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}
