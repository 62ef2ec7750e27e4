package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func TestCredentialsBecomeReferences(t *testing.T) {
	s, err := readServer(clientconfig.Entry{Name: "My Git", Raw: json.RawMessage(`{"command":"npx","args":["-y","x"],
		"env":{"API_KEY":"s3cr3t","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := s.manifest()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"Server","metadata":{"name":"my-git"},"spec":{"command":["npx","-y","x"],"env":{"API_KEY":"${MY_GIT_API_KEY}","LOG":"debug","OTHER_TOKEN":"${HOST_TOKEN}"}}}`
	if string(doc) != want {
		t.Errorf("got  %s\nwant %s", doc, want)
	}
	if s.secrets["MY_GIT_API_KEY"] != "s3cr3t" || len(s.secrets) != 1 {
		t.Errorf("secrets: %v", s.secrets)
	}
}

func TestEntriesThatCannotBeServers(t *testing.T) {
	for name, raw := range map[string]string{
		"neither command nor url": `{}`,
		"old SSE transport":       `{"type":"sse","url":"http://x/sse"}`,
		"wrong type":              `{"command":5}`,
	} {
		if _, err := readServer(clientconfig.Entry{Name: "x", Raw: json.RawMessage(raw)}); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestOurOwnEntryIsNotImported(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".mcp.json")
	text := `{"mcpServers":{"home":{"command":"/usr/bin/mcpctl","args":["mcp","--project","home"]},"a":{"url":"https://x/mcp?key=1"}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := collect(&Options{F: &factory.Factory{Env: func(string) string { return "" }}, Dir: dir})
	if err != nil || len(found) != 1 || found[0].name != "a" {
		t.Fatalf("found %+v, %v", found, err)
	}
	if found[0].target() != "https://x/mcp" {
		t.Errorf("target shows the query: %s", found[0].target())
	}
}

func TestSecretsFileIsPrivateAndKept(t *testing.T) {
	home := t.TempDir()
	streams, _, _, _ := iostreams.Test()
	f := &factory.Factory{IO: streams, Env: func(k string) string {
		if k == "MCPCTL_HOME" {
			return home
		}
		return ""
	}}
	file := filepath.Join(home, "secrets.yaml")
	if err := os.WriteFile(file, []byte("A_KEY: kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := []server{{name: "a", secrets: map[string]string{"A_KEY": "new", "B_KEY": "line\nbreak: \"x\""}}}
	if err := keepSecrets(f, found); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	if want := "A_KEY: kept\nB_KEY: \"line\\nbreak: \\\"x\\\"\"\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if strings.Contains(string(got), "new") {
		t.Error("a secret that was there is replaced")
	}
}
