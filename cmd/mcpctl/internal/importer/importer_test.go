package importer

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func vaultOf(t *testing.T, secrets string) (*vault, string) {
	t.Helper()
	home := t.TempDir()
	if secrets != "" {
		if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), []byte(secrets), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := openVault(home)
	if err != nil {
		t.Fatal(err)
	}
	return v, home
}

// covers M-025: a credential is moved wherever it stands, and nothing else is
func TestCredentialsBecomeReferences(t *testing.T) {
	for _, tc := range []struct {
		where, raw, spec string
		secrets          map[string]string
	}{
		{"env", `{"command":"npx","args":["-y","x"],"env":{"API_KEY":"s3cr3t","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}`,
			`{"command":["npx","-y","x"],"env":{"API_KEY":"${MY_GIT_API_KEY}","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}`,
			map[string]string{"MY_GIT_API_KEY": "s3cr3t"}},
		{"arguments", `{"command":"npx","args":["x","--token","sk-abc","--key=k","--root","/x"]}`,
			`{"command":["npx","x","--token","${MY_GIT_TOKEN}","--key=${MY_GIT_KEY}","--root","/x"]}`,
			map[string]string{"MY_GIT_TOKEN": "sk-abc", "MY_GIT_KEY": "k"}},
		{"an address", `{"type":"http","url":"https://h/mcp?team=1&key=abc"}`,
			`{"url":"https://h/mcp?team=1\u0026key=${MY_GIT_KEY}"}`, map[string]string{"MY_GIT_KEY": "abc"}},
		{"headers", `{"url":"https://h/","headers":{"Authorization":"Bearer b","Accept":"x"}}`,
			`{"headers":{"Accept":"x","Authorization":"${MY_GIT_AUTHORIZATION}"},"url":"https://h/"}`, map[string]string{"MY_GIT_AUTHORIZATION": "Bearer b"}},
		{"an innocent name", `{"command":"x","env":{"CONFIG":"--url=https://u:pw@h sk-abcdefghijkl1234"}}`,
			`{"command":["x"],"env":{"CONFIG":"--url=https://u:${MY_GIT_PASSWORD}@h ${MY_GIT_SECRET}"}}`,
			map[string]string{"MY_GIT_PASSWORD": "pw", "MY_GIT_SECRET": "sk-abcdefghijkl1234"}},
	} {
		v, _ := vaultOf(t, "")
		s, err := readServer(clientconfig.Entry{Name: "My Git", Raw: json.RawMessage(tc.raw)}, v)
		if err != nil {
			t.Errorf("%s: %v", tc.where, err)
			continue
		}
		doc, err := s.manifest()
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"kind":"Server","metadata":{"name":"my-git"},"spec":` + tc.spec + `}`; string(doc) != want {
			t.Errorf("%s: got  %s\nwant %s", tc.where, doc, want)
		}
		if len(v.added) != len(tc.secrets) || len(s.hidden) != len(tc.secrets) {
			t.Errorf("%s: moved %q, want %d", tc.where, s.hidden, len(tc.secrets))
		}
		for name, value := range tc.secrets {
			if v.added[name] != value {
				t.Errorf("%s: %s is not what stood there", tc.where, name)
			}
		}
	}
}

func TestOneNameIsNeverTwoCredentials(t *testing.T) {
	v, home := vaultOf(t, "A_KEY: kept")
	for _, step := range []struct{ server, name, value, want string }{
		{"a", "key", "kept", "A_KEY"},
		{"a", "key", "new", "A_KEY_2"},
		{"a", "key", "new", "A_KEY_2"},
		{"x-y", "key", "one", "X_Y_KEY"},
		{"x.y", "key", "two", "X_Y_KEY_2"},
		{"9", "b", "line\nbreak: \"x\"", "_9_B"},
		{"left", "out", "unused", "LEFT_OUT"},
	} {
		if got := v.put(step.server, step.name, step.value); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.server, step.name, got, step.want)
		}
	}
	if err := v.save(home, func(ref string) bool { return ref != "LEFT_OUT" }); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "secrets.yaml")
	got, _ := os.ReadFile(file)
	want := "A_KEY: kept\nA_KEY_2: \"new\"\nX_Y_KEY: \"one\"\nX_Y_KEY_2: \"two\"\n_9_B: \"line\\nbreak: \\\"x\\\"\"\n"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestSecretsThatOthersCanReadAreNotAddedTo(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "secrets.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openVault(home); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("err = %v, want denied", err)
	}
}

// collectFrom reads .mcp.json and, if there is one, a user's .claude.json.
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

// Every entry that cannot be taken is told with its place; the others are taken.
func TestWhatCannotBeTakenIsTold(t *testing.T) {
	h := collectFrom(t, `{"mcpServers": {
  "good": {"command": "x"},
  "sse":  {"type": "sse", "url": "http://x/sse"},
  "none": {},
  "typed": {"command": 5},
  "args": {"command": "x", "args": "y"},
  "list": [],
  "ws": {"type": "ws", "url": "ws://h"},
  "ref": {"command": "x", "env": {"A": "${B:-c}"}},
  "ftp": {"url": "ftp://h/"},
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
		`.mcp.json:3:20 entry "sse" speaks the old SSE transport; use its streamable HTTP address`,
		`.mcp.json:4:11 entry "none" has neither command nor url`,
		`.mcp.json:5:24 entry "typed" command is number, want a string`,
		`.mcp.json:6:36 entry "args" args is string, want a list of strings`,
		`.mcp.json:7:11 entry "list" is array, want an object`,
		`.mcp.json:8:18 entry "ws" type "ws" is unknown, want stdio or http`,
		`.mcp.json:9:34 entry "ref" env.A has ${...} whose name is not letters, digits and _, write $${ for a plain ${`,
		`.mcp.json:10:18 entry "ftp" url must begin with https:// or http://`,
		`.mcp.json:11:11 entry "Good" would be called "good", like entry "good"`,
		`.claude.json:2:7 no valid JSON: want a value, got ']'`,
	}
	if !slices.Equal(names, []string{"good"}) || !slices.Equal(left, want) {
		t.Errorf("took %q, left\n%s\nwant\n%s", names, strings.Join(left, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheFirstOfTwoWithOneNameCounts(t *testing.T) {
	h := collectFrom(t, `{"mcpServers": {"a": {"command": "x"}}}`, `{"mcpServers": {"a": {"command": "y"}, "b": {"command": "z"}}}`)
	if len(h.servers) != 2 || h.servers[0].entry.Command != "x" || len(h.notes) != 1 || len(h.left) != 0 {
		t.Errorf("got %+v", h)
	}
}

func TestOurOwnEntryIsNotImported(t *testing.T) {
	h := collectFrom(t, `{"mcpServers":{"home":{"command":"/usr/bin/mcpctl","args":["mcp","--project","home"]},"a":{"url":"https://x/mcp?key=1"}}}`, "")
	if len(h.servers) != 1 || len(h.left) != 0 || h.servers[0].name != "a" {
		t.Fatalf("found %+v", h)
	}
	if target := h.servers[0].target(); target != "https://x/mcp" {
		t.Errorf("target shows the query: %s", target)
	}
}
