package manage

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// promptHome returns a Service on a home with prompts, and its REST server.
func promptHome(t *testing.T) (*Service, *httptest.Server) {
	t.Helper()
	s := local(t)
	if _, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: Project
metadata: {name: home}
---
kind: Prompt
metadata: {name: rules, project: home}
spec: {priority: 8, content: "# Rules\n\nBe kind. Always.\n"}
---
kind: Prompt
metadata: {name: pages, project: home}
spec: {priority: 9, linkTarget: "public/docs:docs://a1"}
---
kind: Prompt
metadata: {name: rules, project: work}
spec: {content: x}
---
kind: PromptRequest
metadata: {name: idea, project: home}
spec: {content: y}
`}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(api.Handler(s))
	t.Cleanup(web.Close)
	return s, web
}

func ask(t *testing.T, method, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// The API lists prompts with priority, linkTarget and linkStatus, returns the index of a
// project, and regenerates summaries.
func TestPromptCalls(t *testing.T) {
	_, web := promptHome(t)
	for _, tc := range []struct {
		name, method, path string
		status             int
		want               string
	}{
		{"visible", "GET", "/projects/home/prompts/visible", 200,
			`[{"name":"pages","project":"home","priority":9,"summary":"","chapters":[],"linkTarget":"public/docs:docs://a1","linkStatus":"unknown","bytes":0},` +
				`{"name":"rules","project":"home","priority":8,"summary":"Be kind.","chapters":["Rules"],"bytes":26}]`},
		{"index", "GET", "/projects/home/prompt-index", 200,
			`[{"name":"pages","priority":9,"summary":"","chapters":[]},{"name":"rules","priority":8,"summary":"Be kind.","chapters":["Rules"]}]`},
		{"index of an unknown project", "GET", "/projects/hom/prompt-index", 404, `did you mean \"home\"?`},
		{"index of the system project", "GET", "/projects/mcpctl-system/prompt-index", 200, `"name":"gate-instructions","priority":10`},
		{"prompts", "GET", "/prompts?project=home", 200, `"linkTarget":"public/docs:docs://a1","linkStatus":"unknown"`},
		{"regenerate without an LLM", "POST", "/prompts/rules/regenerate-summary?project=home", 503, `has no LLM`},
		{"regenerate an unknown prompt", "POST", "/prompts/nope/regenerate-summary", 404, `prompt \"nope\" not found`},
		{"ambiguous name", "POST", "/prompts/rules/regenerate-summary", 400, `is in 2 projects`},
		{"approve, dry run", "POST", "/promptrequests/idea/approve?dryRun=true", 200, `"name":"idea","project":"home","action":"created"`},
		{"approve", "POST", "/promptrequests/idea/approve", 200, `"action":"created"`},
		{"approve again", "POST", "/promptrequests/idea/approve", 404, `not found`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, body := ask(t, tc.method, web.URL+"/api/v1"+tc.path)
			if status != tc.status || !strings.Contains(body, tc.want) {
				t.Errorf("%d %s\nwant %d %s", status, body, tc.status, tc.want)
			}
		})
	}
}

// The details of a gated project contain its greeting with the project name, and its
// prompts.
func TestProjectDetailsContainGreetingAndPrompts(t *testing.T) {
	s, _ := promptHome(t)
	o, err := s.Object(t.Context(), "project", "", "home")
	if err != nil {
		t.Fatal(err)
	}
	var d api.ProjectDetails
	if err := json.Unmarshal(o.Details, &d); err != nil {
		t.Fatal(err)
	}
	if !d.Gated || !strings.HasPrefix(d.Greeting, "home keeps") || strings.Contains(d.Greeting, "{{") || len(d.Prompts) != 2 || d.Prompts[0].Name != "pages" {
		t.Errorf("%+v", d)
	}
}

// Apply and describe report a dead link, with a hint.
func TestDeadLinkIsReported(t *testing.T) {
	s, _ := promptHome(t)
	applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "y.yaml", YAML: `kind: Prompt
metadata: {name: far, project: home}
spec: {linkTarget: "work/docs:docs://a1"}
---
kind: Prompt
metadata: {name: near, project: home}
spec: {linkTarget: "hom/docs:docs://a1"}
`})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`project "work" not found`, `project "hom" not found, did you mean "home"? (y.yaml:7:`} {
		if got := strings.Join(applied[i].Warning, "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: warning %q, want %q", applied[i].Name, got, want)
		}
	}
	o, err := s.Object(t.Context(), "prompt", "home", "near")
	if err != nil || !strings.Contains(o.Problem, "(prompts/home/near.md:") || len(o.Details) == 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// The details of a prompt request contain the prompt that it would replace.
func TestPromptRequestDetailsContainReplacedPrompt(t *testing.T) {
	s, _ := promptHome(t)
	if _, err := s.Apply(t.Context(), api.ApplyRequest{YAML: `{"kind":"PromptRequest","metadata":{"name":"rules","project":"home"},"spec":{"content":"z"}}`}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"rules": `{"replaces":"prompts/home/rules.md"}`, "idea": ""} {
		if o, err := s.Object(t.Context(), "promptrequest", "home", name); err != nil || string(o.Details) != want {
			t.Errorf("%s: %s, %v, want %s", name, o.Details, err, want)
		}
	}
}

// The project of a prompt may be omitted if the name is unique.
func TestPromptWithoutProject(t *testing.T) {
	s, _ := promptHome(t)
	if o, err := s.Object(t.Context(), "prompt", "", "pages"); err != nil || o.Project != "home" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := s.Object(t.Context(), "prompt", "", "rules"); problem.Exit(err) != problem.ExitUsage {
		t.Errorf("ambiguous name: %v", err)
	}
	if err := s.Delete(t.Context(), "prompt", "", "rules", false); problem.Exit(err) != problem.ExitUsage {
		t.Errorf("an ambiguous name was deleted: %v", err)
	}
	if err := s.Delete(t.Context(), "prompt", "", "gate-instructions", false); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("a built-in was deleted: %v", err)
	}
}
