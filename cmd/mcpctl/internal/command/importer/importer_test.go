package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host/secret"
)

func vaultOf(t *testing.T, secrets string) (*vault.Vault, string) {
	t.Helper()
	home := t.TempDir()
	if secrets != "" {
		if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), []byte(secrets), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := vault.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	return v, home
}

// claudeIn returns the .mcp.json of a directory as a source.
func claudeIn(dir string) clients.Source {
	c, _ := clients.Find("claude-code")
	p, _ := c.Place(clients.Env{Dir: dir, Var: func(string) string { return "" }}, clients.Project)
	return clients.Source{Client: c, Place: p}
}

// Credentials are moved from all fields; other values are unchanged.
func TestCredentialsBecomeReferences(t *testing.T) {
	for _, tc := range []struct {
		where, raw, spec string
		secrets          map[string]string
	}{
		{"env", `{"command":"npx","args":["-y","x"],"env":{"API_KEY":"s3cr3t","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}`,
			`{"command":["npx","-y","x"],"cwd":"/w","env":{"API_KEY":"${MY_GIT_API_KEY}","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}`,
			map[string]string{"MY_GIT_API_KEY": "s3cr3t"}},
		{"arguments", `{"command":"npx","args":["x","--token","sk-abc","--key=k","--root","/x"]}`,
			`{"command":["npx","x","--token","${MY_GIT_TOKEN}","--key=${MY_GIT_KEY}","--root","/x"],"cwd":"/w"}`,
			map[string]string{"MY_GIT_TOKEN": "sk-abc", "MY_GIT_KEY": "k"}},
		{"an address", `{"type":"http","url":"https://h/mcp?team=1&key=abc"}`,
			`{"url":"https://h/mcp?team=1\u0026key=${MY_GIT_KEY}"}`, map[string]string{"MY_GIT_KEY": "abc"}},
		{"headers", `{"url":"https://h/","headers":{"Authorization":"Bearer b","Accept":"x"}}`,
			`{"headers":{"Accept":"x","Authorization":"${MY_GIT_AUTHORIZATION}"},"url":"https://h/"}`, map[string]string{"MY_GIT_AUTHORIZATION": "Bearer b"}},
		{"name that is not a credential", `{"command":"x","env":{"CONFIG":"--url=https://u:pw@h sk-abcdefghijkl1234"}}`,
			`{"command":["x"],"cwd":"/w","env":{"CONFIG":"--url=https://u:${MY_GIT_PASSWORD}@h ${MY_GIT_SECRET}"}}`,
			map[string]string{"MY_GIT_PASSWORD": "pw", "MY_GIT_SECRET": "sk-abcdefghijkl1234"}},
		{"all variables masked in a preview", `{"command":"x","env":{"GITHUB_PAT":"0a","DB_PASS":"1","PASSPHRASE":"correct horse","TOK":"2","CONN":"Server=h;Password=p;","AUTHOR":"me","MONKEY":"m"}}`,
			`{"command":["x"],"cwd":"/w","env":{"AUTHOR":"me","CONN":"Server=h;Password=${MY_GIT_PASSWORD};","DB_PASS":"${MY_GIT_DB_PASS}","GITHUB_PAT":"${MY_GIT_GITHUB_PAT}","MONKEY":"m","PASSPHRASE":"${MY_GIT_PASSPHRASE}","TOK":"${MY_GIT_TOK}"}}`,
			map[string]string{"MY_GIT_PASSWORD": "p", "MY_GIT_DB_PASS": "1", "MY_GIT_GITHUB_PAT": "0a", "MY_GIT_PASSPHRASE": "correct horse", "MY_GIT_TOK": "2"}},
	} {
		v, home := vaultOf(t, "")
		s, err := readServer(clientconfig.Entry{Name: "My Git", Raw: json.RawMessage(tc.raw), Text: tc.raw}, claudeIn("/w"))
		if err == nil {
			s.hide(v)
			err = s.check()
		}
		if err != nil {
			t.Errorf("%s: %v", tc.where, err)
			continue
		}
		doc, err := s.spec.Manifest(s.name)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"kind":"Server","metadata":{"name":"my-git"},"spec":` + tc.spec + `}`; string(doc) != want {
			t.Errorf("%s: got  %s\nwant %s", tc.where, doc, want)
		}
		if len(s.hidden) != len(tc.secrets) {
			t.Errorf("%s: moved %q, want %d", tc.where, s.hidden, len(tc.secrets))
		}
		if err := v.Save(home, func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		secrets, err := secret.Load(home)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range tc.secrets {
			if got, _ := secrets.Lookup(nil)(name); got.Reveal() != value {
				t.Errorf("%s: %s is not the value of the entry", tc.where, name)
			}
		}
	}
}

// collectFrom reads .mcp.json and, unless user is empty, a user's .claude.json.
func collectFrom(t *testing.T, local, user string) haul {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{".mcp.json": local, ".claude.json": user} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, _ := vaultOf(t, "")
	env := func(string) string { return dir }
	h, err := collect(&Options{F: &factory.Factory{Env: env}, Dir: dir}, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range h.left {
		p.At = strings.TrimPrefix(p.At, dir+"/")
	}
	return h
}

// Entries that cannot be imported are reported with their position; the others are imported.
func TestInvalidEntriesAreReported(t *testing.T) {
	h := collectFrom(t, `{"mcpServers": {
  "good": {"command": "x"},
  "sse":  {"type": "sse", "url": "http://x/sse"},
  "none": {},
  "typed": {"command": 5},
  "args": {"command": "x", "args": "y"},
  "list": [],
  "ws": {"type": "ws", "url": "ws://h"},
  "ref": {"command": "x", "env": {"A": "${B-c}"}},
  "ftp": {"url": "ftp://h/"},
  "esc": {"command": "x", "env": {"K\u001b[1m\nhint: y": "v"}},
  "Good": {"command": "y"}
}}`, `{"mcpServers": {"user": {"command": "u"}, "good": {"command": "z"}},
 "x": ]}`)
	var names, left []string
	for _, s := range h.servers {
		names = append(names, s.name)
	}
	for _, p := range h.left {
		left = append(left, p.At+" "+p.Message)
	}
	want := []string{
		`.claude.json:2:7 invalid JSON: want a value, got ']'`,
		`.mcp.json:3:20 entry "sse" uses the old SSE transport; use its streamable HTTP address`,
		`.mcp.json:4:11 entry "none" has neither command nor url`,
		`.mcp.json:5:24 entry "typed" command is number, want a string`,
		`.mcp.json:6:36 entry "args" args is string, want a list of strings`,
		`.mcp.json:7:11 entry "list" is array, want an object`,
		`.mcp.json:8:18 entry "ws" type "ws" is unknown, want stdio or http`,
		`.mcp.json:9:34 entry "ref" env.A has ${...} with an invalid name, want letters, digits and _; write $${ for a literal ${`,
		`.mcp.json:10:18 entry "ftp" url must begin with https:// or http://`,
		`.mcp.json:11:34 entry "esc" env.K\x1b[1m\nhint: y is not a variable's name, want letters, digits and _`,
		`.mcp.json:12:11 entry "Good" would be called "good", like entry "good"`,
	}
	if !slices.Equal(names, []string{"good"}) || !slices.Equal(left, want) {
		t.Errorf("took %q, left\n%s\nwant\n%s", names, strings.Join(left, "\n"), strings.Join(want, "\n"))
	}
}

func TestFirstOfTwoEqualNamesCounts(t *testing.T) {
	h := collectFrom(t, `{"mcpServers": {"a": {"command": "x"}}}`, `{"mcpServers": {"a": {"command": "y"}, "b": {"command": "z"}}}`)
	if len(h.servers) != 2 || h.servers[0].spec.Command != "x" || len(h.notes) != 1 || len(h.left) != 0 {
		t.Errorf("got %+v", h)
	}
}

func TestOurOwnEntryIsNotImported(t *testing.T) {
	h := collectFrom(t, `{"mcpServers":{"home":{"command":"/usr/bin/mcpctl","args":["mcp","--project","home"]},"a":{"url":"https://x/mcp?key=1"}}}`, "")
	if len(h.servers) != 1 || len(h.left) != 0 || h.servers[0].name != "a" {
		t.Fatalf("found %+v", h)
	}
	if target := h.servers[0].spec.URL; target != "https://x/mcp?key=${A_KEY}" {
		t.Errorf("target shows %s", target)
	}
}
