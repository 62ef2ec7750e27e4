package team

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/secret"
)

// A login is in secrets.yaml beside other entries, and no ${VAR} can refer to it.
func TestLoginIsStored(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), []byte("# mine\nKEY: \"v\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func() (secret.File, Login) {
		f, err := secret.Load(home)
		if err != nil {
			t.Fatal(err)
		}
		return f, LoadLogin(f)
	}
	if _, l := load(); !l.IsZero() {
		t.Errorf("login %+v", l)
	}
	want := Login{URL: "https://team.example:3100", User: "anna", Token: secret.New("mcpd_canary")}
	for range 2 {
		if err := SaveLogin(home, want); err != nil {
			t.Fatal(err)
		}
	}
	f, got := load()
	if got.URL != want.URL || got.User != want.User || got.Token.Reveal() != "mcpd_canary" {
		t.Errorf("login %+v", got)
	}
	lookup := f.Lookup(func(string) (string, bool) { return "from the environment", true })
	for _, name := range []string{secret.TeamToken, secret.TeamLogin} {
		if v, ok := lookup(name); ok {
			t.Errorf("%s is a variable: %q", name, v.Reveal())
		}
		if _, err := secret.ParseTemplate("${" + name + "}"); err == nil {
			t.Errorf("${%s} is a reference", name)
		}
		if _, err := secret.Set(nil, secret.Entry{Name: name, Value: secret.New("x")}); err == nil {
			t.Errorf("set-secret can write %s", name)
		}
	}
	info, err := os.Stat(filepath.Join(home, "secrets.yaml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := RemoveLogin(home); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(home, "secrets.yaml")); err != nil || string(text) != "# mine\nKEY: \"v\"\n" {
		t.Errorf("after the logout: %q, %v", text, err)
	}
	if err := RemoveLogin(home); err != nil {
		t.Errorf("second logout: %v", err)
	}
}

// A hostile mcpd cannot write other entries into secrets.yaml, or other headers.
func TestInvalidLogins(t *testing.T) {
	for _, l := range []Login{
		{URL: "https://h", User: "", Token: secret.New("canary")},
		{URL: "https://h", User: "a b", Token: secret.New("canary")},
		{URL: "https://h", User: "a\nKEY: x", Token: secret.New("canary")},
		{URL: "https://h", User: strings.Repeat("a", 300), Token: secret.New("canary")},
		{URL: "https://h", User: "anna"},
		{URL: "https://h", User: "anna", Token: secret.New("canary\r\nX: y")},
		{URL: "https://h", User: "anna", Token: secret.New("canäry")},
		{URL: "https://h", User: "anna", Token: secret.New(strings.Repeat("canary", 1000))},
	} {
		home := t.TempDir()
		if err := SaveLogin(home, l); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", l.User, err)
		}
		if _, err := os.Stat(filepath.Join(home, "secrets.yaml")); err == nil {
			t.Errorf("%q: a file was written", l.User)
		}
	}
}

// The same login has the same identity in the next process, so that what is kept for it on
// disk belongs to it; another user or token has another one.
func TestIdentityOfLogin(t *testing.T) {
	l := Login{URL: "https://h", User: "anna", Token: secret.New("a")}
	if l.id() != (Login{URL: "https://h", User: "anna", Token: secret.New("a")}).id() {
		t.Error("equal logins differ")
	}
	for _, other := range []Login{{URL: "https://x", User: "anna", Token: l.Token}, {URL: "https://h", User: "otto", Token: l.Token}, {URL: "https://h", User: "anna", Token: secret.New("b")}} {
		if other.id() == l.id() {
			t.Errorf("%s at %s is anna", other.User, other.URL)
		}
	}
}
