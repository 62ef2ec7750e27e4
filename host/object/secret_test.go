package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/mcpctl/mcpctl/abi"
)

const canary = "canary-7f3a"

// printEverywhere prints a value by every formatter there is.
func printEverywhere(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%10.3s"} {
		fmt.Fprintf(&out, verb+"\n", v)
		fmt.Fprintf(&out, verb+"\n", &v)
		fmt.Fprintf(&out, verb+"\n", []any{v})
		fmt.Fprintf(&out, verb+"\n", struct{ hidden any }{v})
	}
	fmt.Fprintln(&out, v, errors.New(fmt.Sprint(v)))
	asJSON, err := json.Marshal(map[string]any{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(map[string]any{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(asJSON)
	out.Write(asYAML)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "v", v, "group", slog.GroupValue(slog.Any("in", v)))
	}
	return out.String()
}

// TestSecretPrintsNothing: no formatter shows a secret, alone or in structs,
// exported field or not. covers M-025 T18
func TestSecretPrintsNothing(t *testing.T) {
	type hidden struct{ s Secret }
	tmpl, err := ParseTemplate(canary + "${VAR}")
	if err != nil {
		t.Fatal(err)
	}
	s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {url: 'https://h/', headers: {K: "+canary+"}}")
	e, err := s.Resolve(func(string) (Secret, bool) { return Secret{}, false })
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"secret": NewSecret(canary), "pointer": ptr(NewSecret(canary)), "unexported field": hidden{NewSecret(canary)},
		"map": map[string]Secret{"k": NewSecret(canary)}, "list": []Secret{NewSecret(canary)},
		"template": tmpl, "server": s, "spec": s.Spec, "endpoint": e, "secrets": Secrets{map[string]Secret{"A": NewSecret(canary)}},
	} {
		out := printEverywhere(t, v)
		for _, bad := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
			if i := strings.Index(out, bad); i >= 0 {
				t.Errorf("%s prints the secret: ...%s...", name, out[max(0, i-60):i+len(bad)])
			}
		}
	}
	if NewSecret(canary).Reveal() != canary || (Secret{}).Reveal() != "" {
		t.Error("Reveal does not give the text")
	}
	if e.Headers["K"].Reveal() != canary {
		t.Error("the endpoint lost its header")
	}
}

func ptr[T any](v T) *T { return &v }

// TestRevisionSeesWhatIsMasked: two servers that print the same are two.
func TestRevisionSeesWhatIsMasked(t *testing.T) {
	one := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {command: [x], env: {A: one}}")
	two := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {command: [x], env: {A: two}}")
	if string(encodeYAML(one)) != string(encodeYAML(two)) || one.Revision() == two.Revision() {
		t.Error("the print must be the same and the revision not")
	}
}

func TestTemplate(t *testing.T) {
	vars := func(name string) (Secret, bool) {
		v, ok := map[string]string{"A": "1", "B_2": "two", "EMPTY": ""}[name]
		return NewSecret(v), ok
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
		if tmpl.source() != c.in {
			t.Errorf("%q is written back as %q", c.in, tmpl.source())
		}
	}
	for _, bad := range []string{"${", "${A", "${}", "${1A}", "${A B}", "${A-B}", "${A:B}", "${:-x}", "${A:-${B}}"} {
		if _, err := ParseTemplate(bad); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%q: %v, want abi.ErrConfig", bad, err)
		}
	}
}

func TestResolve(t *testing.T) {
	s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: files}\nspec:\n  command: [npx, \"--root=${ROOT}\"]\n  env: {TOKEN: \"${TOKEN}\", LOG: warn, N: 5}\n")
	lookup := Secrets{map[string]Secret{"TOKEN": NewSecret("from-file"), "ROOT": NewSecret("/file")}}.
		Lookup(func(name string) (string, bool) { return "/env", name == "ROOT" })
	e, err := s.Resolve(lookup)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Argv(), " "); got != "npx --root=/env" {
		t.Errorf("command is %q; the environment comes before %s", got, SecretsFile)
	}
	if e.Env["TOKEN"].Reveal() != "from-file" || e.Env["LOG"].Reveal() != "warn" || e.Env["N"].Reveal() != "5" {
		t.Errorf("env is wrong")
	}
	_, err = s.Resolve(Secrets{}.Lookup(nil))
	var all Errors
	if !errors.As(err, &all) || len(all) != 2 || !errors.Is(err, ErrVariable) || !errors.Is(err, abi.ErrConfig) {
		t.Fatalf("got %v, want two unset variables", err)
	}
	for _, want := range []string{`server "files": command[1] needs ROOT, not set`, `server "files": env.TOKEN needs TOKEN, not set`, "(f.yaml:4:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got:\n%v\nwant it to say: %s", err, want)
		}
	}
	web := decodeOne[*Server](t, "kind: Server\nmetadata: {name: web}\nspec: {url: \"${WHERE}/mcp\", headers: {A: \"${H}\"}}")
	_, err = web.Resolve(func(name string) (Secret, bool) {
		return NewSecret(map[string]string{"WHERE": "ftp://h", "H": "x\r\nInjected: y"}[name]), true
	})
	if err == nil || !strings.Contains(err.Error(), "must begin with https://") || !strings.Contains(err.Error(), "holds a line break") {
		t.Errorf("filled-in values are not checked: %v", err)
	}
}

// TestSecretsFile: it must be private, and its mistakes show no value.
func TestSecretsFile(t *testing.T) {
	home := t.TempDir()
	if s, err := LoadSecrets(home); err != nil || len(s.values) != 0 {
		t.Fatalf("no file: %v, %v", s, err)
	}
	path := filepath.Join(home, SecretsFile)
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
	s, err := LoadSecrets(home)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Lookup(nil)("TOKEN"); !ok || v.Reveal() != canary {
		t.Errorf("TOKEN is %q, %v", v.Reveal(), ok)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
		write("TOKEN: x\n", mode)
		if _, err := LoadSecrets(home); !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v, want denied with the way out", mode, err)
		}
	}
	for _, bad := range []string{"A-B: " + canary, "TOKEN: [" + canary + "]", "TOKEN: \"" + canary, "- " + canary, "A: x\nA: " + canary, "A: x\n---\nB: " + canary} {
		write(bad, 0o600)
		_, err := LoadSecrets(home)
		if !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%q: %v, want abi.ErrConfig", bad, err)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}
