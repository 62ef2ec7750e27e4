package patch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

const project = `# who uses it: me
kind: Project
metadata:
  name: home
spec:
  servers: [files] # the disk
  proxyModel: default # for now
  proxyModelOverrides:
    toolResults:
      "*/get_flows": subindex
      "*/get": default

# the end
`

// A patch changes one field and keeps comments and order.
func TestEditKeepsTheRest(t *testing.T) {
	for _, tc := range []struct {
		name, set, old, new string
	}{
		{"word", "proxyModel=subindex", "proxyModel: default # for now", "proxyModel: subindex # for now"},
		{"path with spec", "spec.proxyModel=subindex", "proxyModel: default # for now", "proxyModel: subindex # for now"},
		{"list", "servers=[files, web]", "servers: [files] # the disk", `servers: ["files","web"] # the disk`},
		{"nested name with dots and a slash", "proxyModelOverrides.toolResults.*/get=subindex", `"*/get": default`, `"*/get": subindex`},
		{"new field", "toolNames=bare", "\n\n# the end", "\n  toolNames: bare\n\n# the end"},
		{"new nested field", "proxyModelOverrides.prompts.rules=default", "\n\n# the end", "\n    prompts: {\"rules\":\"default\"}\n\n# the end"},
		{"removed", "proxyModel=", "  proxyModel: default # for now\n", ""},
		{"remove missing field", "toolNames=", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := strings.Replace(project, tc.old, tc.new, 1)
			if got := patched(t, project, tc.set); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// No part of an old value with a quoted "#" remains as a comment.
func TestEditOfAValueWithAHash(t *testing.T) {
	const server = "kind: Server\nmetadata:\n  name: a\nspec:\n  command: [x]\n  env:\n    A: \"x # y\" # why\n"
	want := strings.Replace(server, `"x # y"`, "z", 1)
	if got := patched(t, server, "env.A=z"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCommentOf(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"word", " a # b", " # b"},
		{"none", " a#b", ""},
		{"in double quotes", ` "a # b"`, ""},
		{"after double quotes with an escaped quote", ` "a \" # b" # c`, " # c"},
		{"in single quotes", " 'a # b' # c", " # c"},
		{"apostrophe is not a quote", " it's # b", " # b"},
		{"in a list", ` ["a # b", c] # d`, " # d"},
		{"unclosed quote", ` "a # b`, ""},
	} {
		if got := commentOf(tc.text); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// If the text cannot be edited line by line, the object is encoded again with the same meaning.
func TestEditEncodesTheObjectAgain(t *testing.T) {
	for _, tc := range []struct{ name, text, set, want string }{
		{"flow style", "kind: Project\nmetadata: {name: home}\nspec: {servers: [a]}\n", "proxyModel=subindex", `"proxyModel":"subindex"`},
		{"items in another order", "kind: Project\nmetadata: {name: a}\nspec:\n  servers:\n    - x\n    - y\n", "servers=[y,x]", `"servers":["y","x"]`},
		{"item of a list", "kind: ProxyModel\nmetadata: {name: m}\nspec:\n  controller: none\n  stages:\n    - type: a\n    - type: b\n", "stages.1.type=c", `{"type":"a"},{"type":"c"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := patched(t, tc.text, tc.set); !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant %s in it", got, tc.want)
			}
		})
	}
}

// Multi-line lists are edited item by item to keep comments.
func TestEditOfMultiLineLists(t *testing.T) {
	const before, after = "# mine\nkind: Project\nmetadata:\n  name: home\nspec:\n", "\n  # in between\n  proxyModel: default # for now\n"
	for _, tc := range []struct{ name, list, set, want string }{
		{"added", "  servers:\n    - files # the disk\n    # search\n    - web", "[files, web, git]", "  servers:\n    - files # the disk\n    # search\n    - web\n    - git"},
		{"removed", "  servers:\n    - files # the disk\n    # search\n    - web # slow\n    - git # mine", "[files, git]", "  servers:\n    - files # the disk\n    # search\n    - git # mine"},
		{"first item removed", "  servers:\n    - files\n    # search\n    - web", "[web]", "  servers:\n    # search\n    - web"},
		{"replaced", "  servers:\n    - files # the disk\n    - web # slow", "[git, web]", ""},
		{"removed and added", "  servers:\n    - files # the disk\n    - web # slow", "[web, git]", "  servers:\n    - web # slow\n    - git"},
		{"at the indent of its key", "  servers:\n  - files # the disk\n  - web", "[files, web, git]", "  servers:\n  - files # the disk\n  - web\n  - git"},
		{"quoted items", "  servers:\n    - \"files\" # the disk\n    - 'web'", "[files]", "  servers:\n    - \"files\" # the disk"},
		{"all removed", "  servers:\n    # none now\n    - files", "[]", "  servers: []\n    # none now"},
		{"in brackets", "  servers: [\n    files, # the disk\n    # search\n    web # slow\n  ]", "[files, web, git]", "  servers: [\n    files, # the disk\n    # search\n    web, # slow\n    git,\n  ]"},
		{"in brackets, removed", "  servers: [ # all\n    files, # the disk\n    web # slow\n  ] # end", "[files]", "  servers: [ # all\n    files, # the disk\n  ] # end"},
		{"list removed", "  toolNames: prefixed\n  servers:\n    - files # the disk\n    - web", "", "  toolNames: prefixed"},
		{"all removed, comment after the key", "  servers: # all\n    - files", "[]", "  servers: [] # all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := patched(t, before+tc.list+after, "servers="+tc.set)
			if tc.want == "" {
				if !strings.HasPrefix(got, "{") {
					t.Errorf("got\n%s", got)
				}
				return
			}
			if want := before + tc.want + after; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func patched(t *testing.T, text, set string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "o.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	objects, _, err := object.Decode("o.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := object.EncodeJSON(objects[0])
	if err != nil {
		t.Fatal(err)
	}
	changes, err := parse([]string{set})
	if err != nil {
		t.Fatal(err)
	}
	got, err := edited(home, api.Object{File: "o.yaml", Manifest: manifest}, changes)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSetRejectsInvalidPairs(t *testing.T) {
	for _, pair := range []string{"proxyModel", "=x", "a..b=1"} {
		if _, err := parse([]string{pair}); err == nil {
			t.Errorf("--set %q was accepted", pair)
		}
	}
	v, err := strictyaml.ParseJSON([]byte(`{"spec":{"a":"text","l":[1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range []string{"a.b=1", "l.7=1", "l.x=1"} {
		changes, err := parse([]string{pair})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changes[0].apply(v, 0); err == nil {
			t.Errorf("--set %q was accepted", pair)
		}
	}
}

// Errors in a text that patch encoded itself are reported without positions.
func TestErrorsInEncodedTextHaveNoPosition(t *testing.T) {
	_, _, err := object.Decode("project/home", []byte(`{"kind":"Project","metadata":{"name":"home"},"spec":{"proxyMdoel":"x","gatde":1}}`))
	p := problem.From(problem.WithoutPositions(err))
	if len(p.Errors) != 2 {
		t.Fatalf("%d errors, want 2: %v", len(p.Errors), err)
	}
	for _, m := range p.Errors {
		if m.At != "" || m.Snippet != "" || m.Message == "" {
			t.Errorf("got %+v", m)
		}
	}
	if p := problem.From(err); p.Errors[0].At == "" {
		t.Error("the position in a user's text is missing")
	}
}
