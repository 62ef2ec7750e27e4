package clientconfig

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

const codexFile = `# my settings
model = "gpt-5"   # keep

[mcp_servers.time]   # the clock
command = "uvx"
args = [
  "mcp-server-time", # comment in a list
]

[mcp_servers.time.env]
TZ = "UTC"

# settings of projects
[projects."/srv/work"]
trust_level = "trusted"
`

func tomlFile(text string) *File {
	return &File{Syntax: TOML, Before: []byte(text), After: []byte(text), Existed: true, Exists: true}
}

// Comments and layout of a Codex file are kept.
func TestTOMLSetChangesOneEntryOnly(t *testing.T) {
	value := []byte(`{"command":"/bin/mcpctl","args":["mcp","--project","home"],"env":{"MCPCTL_HOME":"/h \"x\""}}`)
	home := "[mcp_servers.home]\ncommand = \"/bin/mcpctl\"\nargs = [\"mcp\",\"--project\",\"home\"]\nenv = { MCPCTL_HOME = \"/h \\\"x\\\"\" }\n"
	for _, tc := range []struct{ name, before, after string }{
		{"no file", "", home},
		{"after the other servers", codexFile, strings.Replace(codexFile, "TZ = \"UTC\"\n", "TZ = \"UTC\"\n\n"+home, 1)},
		{"at the end if there are no servers", "model = \"x\"\n", "model = \"x\"\n\n" + home},
		{"CRLF", "model = \"x\"\r\n", "model = \"x\"\r\n\r\n" + strings.ReplaceAll(home, "\n", "\r\n")},
		{"replaces the existing entry", "[mcp_servers.home]\nurl = \"u\"\n\n[mcp_servers.home.http_headers]\nA = \"b\"\n\n[x]\n", home + "\n[x]\n"},
	} {
		f := tomlFile(tc.before)
		if err := f.Set("home", value, "mcp_servers"); err != nil || string(f.After) != tc.after {
			t.Errorf("%s: got\n%s(%v), want\n%s", tc.name, f.After, err, tc.after)
			continue
		}
		if tc.before == "" || strings.Contains(tc.before, ".home]") {
			continue
		}
		if err := f.Remove("home", "mcp_servers"); err != nil || string(f.After) != tc.before {
			t.Errorf("%s: removed, got\n%q (%v), want\n%q", tc.name, f.After, err, tc.before)
		}
	}
}

func TestTOMLEntriesAreReadAsJSON(t *testing.T) {
	list, err := tomlFile(codexFile + "\n[mcp_servers]\nshort = { url = \"u\" }\n").Entries("mcp_servers")
	if err != nil || len(list) != 2 {
		t.Fatalf("got %+v, %v", list, err)
	}
	if got := string(list[0].Raw); got != `{"args":["mcp-server-time"],"command":"uvx","env":{"TZ":"UTC"}}` {
		t.Errorf("time is %s", got)
	}
	if !strings.HasPrefix(list[0].Text, "[mcp_servers.time]   # the clock\n") || !strings.HasSuffix(list[0].Text, "TZ = \"UTC\"\n") || list[1].Name != "short" {
		t.Errorf("got %+v", list)
	}
}

func TestTOMLUndoKeepsLaterChangesOfTheClient(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, codexFile)
	f, err := Read(file, TOML)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Remove("time", "mcp_servers"), f.Set("home", []byte(`{"command":"mcpctl","args":["mcp"]}`), "mcp_servers"), b.Write("home", f)); err != nil {
		t.Fatal(err)
	}
	now := string(f.After)
	if strings.Contains(now, "uvx") || !strings.Contains(now, "# settings of projects\n") {
		t.Fatalf("got\n%s", now)
	}
	writeFile(t, file, strings.Replace(now, "gpt-5", "gpt-6", 1)+"\n[tui]\ntheme = \"x\" # new\n")
	if notes := undo(t, b); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	text, err := ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"model = \"gpt-6\"   # keep\n", "\"mcp-server-time\", # comment in a list\n", "[tui]\ntheme = \"x\" # new\n", "[projects.\"/srv/work\"]\ntrust_level = \"trusted\"\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "mcpctl") {
		t.Errorf("our entry is in\n%s", text)
	}
}

func TestTOMLSetRejectsInvalidFiles(t *testing.T) {
	for _, text := range []string{"a = ", "[mcp_servers", "mcp_servers = 5", "[[mcp_servers]]\n", "a=1\na=2\n"} {
		if err := tomlFile(text).Set("home", []byte(`{"command":"x"}`), "mcp_servers"); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("Set(%q) = %v, want a config error", text, err)
		}
	}
	_, err := tomlFile("a = 1\nb = \n").Entries("mcp_servers")
	if p := InFile("config.toml", err); !strings.HasPrefix(p.At, "config.toml:2:") || !strings.HasPrefix(p.Message, "invalid TOML: ") {
		t.Errorf("reported as %q at %s", p.Message, p.At)
	}
}

// Inline entries can be read but not edited.
func TestTOMLInlineEntriesAreNotEdited(t *testing.T) {
	for _, text := range []string{
		"[mcp_servers]\nx = { command = \"y\" }\n",
		"[mcp_servers]\nx.command = \"y\"\n",
		"mcp_servers.x.command = \"y\"\n",
		"mcp_servers = { x = { command = \"y\" } }\n",
	} {
		f := tomlFile(text)
		list, err := f.Entries("mcp_servers")
		if err != nil || len(list) != 1 || string(list[0].Raw) != `{"command":"y"}` {
			t.Errorf("%q: %+v, %v", text, list, err)
		}
		if err := f.Remove("x", "mcp_servers"); !errors.Is(err, ErrInline) || string(f.After) != text {
			t.Errorf("%q: %v, now %q", text, err, f.After)
		}
	}
}
