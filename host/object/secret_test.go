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
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
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

// TestSecretPrintsNothing checks that no formatter shows a secret, alone or in structs,
// in exported fields or not.
func TestSecretPrintsNothing(t *testing.T) {
	type hidden struct{ s secret.Value }
	tmpl, err := secret.ParseTemplate(canary + "${VAR}")
	if err != nil {
		t.Fatal(err)
	}
	s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {url: 'https://h/', headers: {K: "+canary+"}}")
	e, err := s.Resolve(func(string) (secret.Value, bool) { return secret.Value{}, false })
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"secret": secret.New(canary), "pointer": ptr(secret.New(canary)), "unexported field": hidden{secret.New(canary)},
		"map": map[string]secret.Value{"k": secret.New(canary)}, "list": []secret.Value{secret.New(canary)},
		"template": tmpl, "server": s, "spec": s.Spec, "endpoint": e, "secrets": loadSecrets(t, "A: "+canary+"\n"),
	} {
		out := printEverywhere(t, v)
		for _, bad := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
			if i := strings.Index(out, bad); i >= 0 {
				t.Errorf("%s prints the secret: ...%s...", name, out[max(0, i-60):i+len(bad)])
			}
		}
	}
	if secret.New(canary).Reveal() != canary || (secret.Value{}).Reveal() != "" {
		t.Error("Reveal does not give the text")
	}
	if e.Headers["K"].Reveal() != canary {
		t.Error("the endpoint lost its header")
	}
}

// loadSecrets returns the secrets file with a text.
func loadSecrets(t *testing.T, text string) secret.File {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, secret.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := secret.Load(home)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func ptr[T any](v T) *T { return &v }

// The revision of a server depends on values that are printed masked.
func TestRevisionCoversMaskedValues(t *testing.T) {
	one := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {command: [x], env: {A: one}}")
	two := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: {command: [x], env: {A: two}}")
	if string(EncodeYAML(one)) != string(EncodeYAML(two)) || one.Revision() == two.Revision() {
		t.Error("the print must be the same and the revision not")
	}
}

func TestResolve(t *testing.T) {
	s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: files}\nspec:\n  command: [npx, \"--root=${ROOT}\"]\n  env: {TOKEN: \"${TOKEN}\", LOG: warn, N: 5}\n")
	lookup := loadSecrets(t, "TOKEN: from-file\nROOT: /file\n").
		Lookup(func(name string) (string, bool) { return "/env", name == "ROOT" })
	e, err := s.Resolve(lookup)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Argv(), " "); got != "npx --root=/env" {
		t.Errorf("command is %q; the environment comes before %s", got, secret.FileName)
	}
	if e.Env["TOKEN"].Reveal() != "from-file" || e.Env["LOG"].Reveal() != "warn" || e.Env["N"].Reveal() != "5" {
		t.Errorf("env is wrong")
	}
	_, err = s.Resolve(secret.File{}.Lookup(nil))
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) != 2 || !errors.Is(err, secret.ErrVariable) || !errors.Is(err, abi.ErrConfig) {
		t.Fatalf("got %v, want two unset variables", err)
	}
	for _, want := range []string{`server "files": command[1] needs ROOT, not set`, `server "files": env.TOKEN needs TOKEN, not set`, "(f.yaml:4:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got:\n%v\nwant it to contain: %s", err, want)
		}
	}
	web := decodeOne[*Server](t, "kind: Server\nmetadata: {name: web}\nspec: {url: \"${WHERE}/mcp\", headers: {A: \"${H}\"}}")
	_, err = web.Resolve(func(name string) (secret.Value, bool) {
		return secret.New(map[string]string{"WHERE": "ftp://h", "H": "x\r\nInjected: y"}[name]), true
	})
	if err == nil || !strings.Contains(err.Error(), "must begin with https://") || !strings.Contains(err.Error(), "contains a line break") {
		t.Errorf("filled-in values are not checked: %v", err)
	}
}
