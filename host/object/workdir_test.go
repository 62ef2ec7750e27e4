package object

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// cwd and passEnv are checked when a file is decoded.
func TestServerCwdAndPassEnvAreChecked(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"absolute", `{command: [x], cwd: /srv/data}`, ""},
		{"home", `{command: [x], cwd: ~/data}`, ""},
		{"client", `{command: [x, "${MCPCTL_CLIENT_CWD}"], cwd: "${MCPCTL_CLIENT_CWD}/sub", env: {ROOT: "${MCPCTL_CLIENT_CWD:-/srv}"}}`, ""},
		{"relative cwd", `{command: [x], cwd: ./data}`, "cwd is not an absolute path, want /dir, ~/dir or ${MCPCTL_CLIENT_CWD}"},
		{"empty cwd", `{command: [x], cwd: ""}`, "cwd is not an absolute path"},
		{"cwd of a URL", `{url: "http://h/mcp", cwd: /srv}`, "cwd belongs to a server with a command"},
		{"passEnv of a URL", `{url: "http://h/mcp", passEnv: [A]}`, "passEnv belongs to a server with a command"},
		{"client directory in a URL", `{url: "http://h/${MCPCTL_CLIENT_CWD}"}`, "url contains ${MCPCTL_CLIENT_CWD}, which is only allowed in cwd, command and env"},
		{"client directory in a header", `{url: "http://h/mcp", headers: {A: "${MCPCTL_CLIENT_CWD}"}}`, "headers.A contains ${MCPCTL_CLIENT_CWD}"},
		{"client directory of a shared server", `{command: [x], cwd: "${MCPCTL_CLIENT_CWD}", shared: true}`, "a shared server cannot use"},
		{"bad variable", `{command: [x], passEnv: [A-B]}`, "passEnv[0] is not a variable's name"},
		{"assignment", `{command: [x], passEnv: [A, "B=c"]}`, "passEnv[1] is not a variable's name"},
		{"twice", `{command: [x], passEnv: [A, A]}`, "passEnv[1] is listed twice"},
		{"reserved", `{command: [x], passEnv: [MCPCTL_CLIENT_CWD]}`, "passEnv[0] is not a variable of the environment"},
		{"no list", `{command: [x], passEnv: A}`, "passEnv is a string, want a list"},
	} {
		_, _, err := Decode("f.yaml", []byte("kind: Server\nmetadata: {name: a}\nspec: "+c.spec))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want it to contain: %s", c.name, err, c.want)
		}
	}
	_, warnings, err := Decode("f.yaml", []byte("kind: Server\nmetadata: {name: git}\nspec: {command: [uvx, --repository, .]}"))
	if err != nil || !strings.Contains(warnings.Error(), "command[2] is a relative path and cwd is not set: it refers to $MCPCTL_HOME/work/git") {
		t.Errorf("%v, warnings %v; want one for the relative path", err, warnings)
	}
}

// The error names a missing directory.
func TestServerCwdIsResolved(t *testing.T) {
	home, client := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (secret.Value, bool) { return secret.New(client), name == secret.ClientDirVariable }
	none := func(string) (secret.Value, bool) { return secret.Value{}, false }
	token := func(string) (secret.Value, bool) { return secret.New("CANARY/x"), true }
	for _, c := range []struct {
		cwd  string
		vars secret.Lookup
		want string
		bad  string
	}{
		{"~", none, home, ""},
		{"~/data", none, filepath.Join(home, "data"), ""},
		{home + "/data/../data", none, filepath.Join(home, "data"), ""},
		{"${MCPCTL_CLIENT_CWD}", lookup, client, ""},
		{"${MCPCTL_CLIENT_CWD:-" + home + "}", lookup, client, ""},
		{"${MCPCTL_CLIENT_CWD:-" + home + "}", none, home, ""},
		{"${MCPCTL_CLIENT_CWD:-~/data}", none, filepath.Join(home, "data"), ""},
		{"${MCPCTL_CLIENT_CWD}", none, "", "needs MCPCTL_CLIENT_CWD"},
		{"~/nosuch", none, "", `cwd is "` + home + `/nosuch", a directory that does not exist`},
		{file, none, "", "which is not a directory"},
		{"${TOKEN}", token, "", `is not an absolute path with its variables expanded: "${TOKEN}"`},
		{"/nonexistent/${TOKEN}", token, "", `cwd is "/nonexistent/${TOKEN}", a directory that does not exist`},
		{"${MCPCTL_CLIENT_CWD:-relative}", none, "", "is not an absolute path with its variables expanded"},
	} {
		s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec:\n  command: [x]\n  cwd: '"+c.cwd+"'\n")
		e, err := s.Resolve(c.vars)
		if c.bad != "" {
			if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), c.bad) || strings.Contains(err.Error(), "CANARY") {
				t.Errorf("%s: %v, want it to contain: %s", c.cwd, err, c.bad)
			}
			continue
		}
		if err != nil || e.Cwd.Reveal() != c.want {
			t.Errorf("%s resolves to %q, %v; want %q", c.cwd, e.Cwd.Reveal(), err, c.want)
		}
	}
}

// The directory that a client sends is checked.
func TestClientDirIsChecked(t *testing.T) {
	dir := t.TempDir()
	if err := checkClientDir(dir); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", ".", "relative", dir + "/nosuch", dir + "\x00", "/" + strings.Repeat("a", 5000)} {
		if err := checkClientDir(bad); err == nil || len(err.Error()) > 400 {
			t.Errorf("%.60q: %v, want a short error", bad, err)
		}
	}
}

// A default may be a credential, so it is masked, but not lost.
func TestDefaultsOfReferencesAreMasked(t *testing.T) {
	s := decodeOne[*Server](t, `kind: Server
metadata: {name: a}
spec:
  command: [x, "--token=${TOK:-`+canary+`}"]
  cwd: "${MCPCTL_CLIENT_CWD:-/srv}"
  env: {A: "${B:-`+canary+`}"}
`)
	shown := string(EncodeYAML(s))
	if strings.Contains(shown, canary) || !strings.Contains(shown, "--token=${TOK:-***}") || !strings.Contains(shown, "${MCPCTL_CLIENT_CWD:-/srv}") {
		t.Errorf("prints as\n%s", shown)
	}
	again := decodeOne[*Server](t, shown)
	restored, errs := Unmask(again, s)
	if len(errs) > 0 || !HasSameContent(restored, s) {
		t.Errorf("%v: the printed server does not restore its values", errs)
	}
}
