// Package conformance has the tests that all stores of objects pass, and no other code. It
// runs one set of cases over each store: the files of a home, and mcpd on SQLite and on
// PostgreSQL.
//
// A file in testdata is an archive of cases. A case is a script:
//
//	# not: files (a reason)    the stores that the case is not for: files, mcpd
//	apply                      [dry] [base=X]; X may be @ and an object, for its revision
//		kind: Server           the YAML text; {{repeat N TEXT}} is replaced
//	get server s
//	list prompt p              the project may be missing
//	index p                    the prompt index of a project
//	visible p                  the prompts of a project
//	approve p/r                [dry]
//	delete prompt p/a          [force]
//	> what the command above answers
//
// Each case begins with an empty store. go test -update writes the answers: of mcpd, and of
// the file store for cases that are not for mcpd.
package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

var update = flag.Bool("update", false, "write the answers into testdata")

func TestMain(m *testing.M) { databasetest.Main(m) }

// minCases is the number of cases below which some must have been lost.
const minCases = 300

func TestStores(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ran := make(map[string]int) // by the names of the subtests
	run := func(t *testing.T, s *store) {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(name, func(t *testing.T) { ran[path.Base(path.Dir(t.Name()))] += runFile(t, s, file) })
		}
	}
	t.Run("files", func(t *testing.T) { run(t, openFiles(t)) })
	databasetest.Each(t, func(t *testing.T, address string) { run(t, openTeam(t, address)) })
	all := 0
	for _, file := range files {
		all += len(parseFile(t, file).Files)
	}
	t.Logf("%d cases, run: %v", all, ran)
	if all < minCases {
		t.Errorf("%d cases, want %d or more", all, minCases)
	}
}

// store is one store, behind its API.
type store struct {
	name   string // files or mcpd
	url    string
	header http.Header
	kinds  []string // that it stores, those that others refer to last
}

func openFiles(t *testing.T) *store {
	t.Helper()
	home := t.TempDir()
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(filepath.Join(home, "cache"), 0o700), os.Symlink(compiled, filepath.Join(home, "cache", "wasm"))); err != nil {
		t.Fatal(err)
	}
	s, err := manage.OpenLocal(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	server := httptest.NewServer(api.Handler(s))
	t.Cleanup(server.Close)
	return &store{name: "files", url: server.URL, kinds: []string{"promptrequest", "prompt", "project", "server"}}
}

func openTeam(t *testing.T, address string) *store {
	t.Helper()
	s := mcpdtest.Start(t, address)
	s.Apply(t, "kind: User\nmetadata: {name: root}\n---\nkind: RbacBinding\nmetadata: {name: root}\nspec: {subjects: [{user: root}], verbs: [admin]}\n")
	return &store{name: "mcpd", url: s.URL, header: http.Header{"Authorization": {"Bearer " + s.Token(t, "root")}},
		kinds: []string{"promptrequest", "prompt", "project", "server", "rbacbinding", "serviceaccount", "group", "user"}}
}

// runFile runs the cases of an archive that are for a store, and returns their number.
func runFile(t *testing.T, s *store, file string) (ran int) {
	archive := parseFile(t, file)
	for i, c := range archive.Files {
		if isFor(t, c, s.name) {
			t.Run(c.Name, func(t *testing.T) {
				if text := runCase(t, s, c); s.name == "mcpd" || !isFor(t, c, "mcpd") {
					archive.Files[i].Text = text
				}
			})
			ran++
		}
	}
	if *update && ran > 0 {
		if err := os.WriteFile(file, []byte(archive.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ran
}

func parseFile(t *testing.T, file string) txtar.Archive {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(string(text))
}

var exception = regexp.MustCompile(`(?m)^# not: (\w+) \(.+\)$`)

// isFor reports whether a case is for a store. A case that is not says why.
func isFor(t *testing.T, c txtar.File, store string) bool {
	for _, line := range strings.Split(c.Text, "\n") {
		if strings.HasPrefix(line, "#") && !exception.MatchString(line) {
			t.Errorf("%s: %q is not an exception with a reason", c.Name, line)
		}
	}
	for _, m := range exception.FindAllStringSubmatch(c.Text, -1) {
		switch m[1] {
		case store:
			return false
		case "files", "mcpd":
		default:
			t.Errorf("%s: there is no store %s", c.Name, m[1])
		}
	}
	return true
}

// runCase runs a case and returns its text with the answers of the store.
func runCase(t *testing.T, s *store, c txtar.File) string {
	s.clear(t)
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(c.Text, "\n"), "\n")
	for len(lines) > 0 {
		command := lines[0]
		lines = lines[1:]
		fmt.Fprintln(&out, command)
		if command == "" || strings.HasPrefix(command, "#") {
			continue
		}
		var body, want []string
		for len(lines) > 0 && (strings.HasPrefix(lines[0], "\t") || lines[0] == "" && len(want) == 0) {
			fmt.Fprintln(&out, lines[0])
			body, lines = append(body, strings.TrimPrefix(lines[0], "\t")), lines[1:]
		}
		for len(lines) > 0 && strings.HasPrefix(lines[0], "> ") {
			want, lines = append(want, strings.TrimPrefix(lines[0], "> ")), lines[1:]
		}
		got := s.do(t, strings.Fields(command), expand(t, strings.Join(body, "\n")+"\n"))
		for _, line := range got {
			fmt.Fprintln(&out, "> "+line)
		}
		if !*update && !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", command, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
	return out.String()
}

var repeat = regexp.MustCompile(`\{\{repeat (\d+) ([^}]*)\}\}`)

func expand(t *testing.T, text string) string {
	return repeat.ReplaceAllStringFunc(text, func(s string) string {
		m := repeat.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat(m[2], n)
	})
}

// do runs one command and returns its answer as lines.
func (s *store) do(t *testing.T, words []string, body string) []string {
	t.Helper()
	flags := make(map[string]string)
	words = slices.DeleteFunc(words, func(w string) bool {
		name, value, _ := strings.Cut(w, "=")
		isFlag := name == "dry" || name == "force" || name == "base"
		if isFlag {
			flags[name] = value
		}
		return isFlag
	})
	_, dry := flags["dry"]
	_, force := flags["force"]
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch words[0] {
	case "apply":
		base := flags["base"]
		if kind, key, ok := strings.Cut(strings.TrimPrefix(base, "@"), ":"); ok {
			var o api.Object
			s.call(t, "GET", pathOf(kind, key), nil, &o)
			base = o.Revision
		}
		var applied []api.Applied
		if lines := s.call(t, "POST", "/apply", api.ApplyRequest{File: "case.yaml", YAML: body, DryRun: dry, Base: base}, &applied); lines != nil {
			return lines
		}
		out := []string{}
		for _, a := range applied {
			out = append(out, line(a.Kind, qualified(a.Project, a.Name), a.Action))
		}
		return out
	case "get":
		var o api.Object
		if lines := s.call(t, "GET", pathOf(arg(1), arg(2)), nil, &o); lines != nil {
			return lines
		}
		return []string{shorten(string(o.Manifest))}
	case "list":
		names := []string{}
		for _, o := range s.list(t, arg(1), arg(2)) {
			names = append(names, qualified(o.Project, o.Name))
		}
		return []string{line("list", names...)}
	case "index", "visible":
		path := map[string]string{"index": "/prompt-index", "visible": "/prompts/visible"}[words[0]]
		var prompts []api.Prompt
		if lines := s.call(t, "GET", "/projects/"+url.PathEscape(arg(1))+path, nil, &prompts); lines != nil {
			return lines
		}
		out := []string{fmt.Sprintf("%d prompts", len(prompts))}
		for _, p := range prompts {
			out = append(out, shorten(strings.TrimSpace(fmt.Sprintf("%s priority=%d summary=%q chapters=%q %s", p.Name, p.Priority, p.Summary, p.Chapters, p.LinkTarget))))
		}
		return out
	case "approve":
		project, name, _ := strings.Cut(arg(1), "/")
		var a api.Applied
		path := "/promptrequests/" + url.PathEscape(name) + "/approve?project=" + url.QueryEscape(project)
		if dry {
			path += "&dryRun=true"
		}
		if lines := s.call(t, "POST", path, struct{}{}, &a); lines != nil {
			return lines
		}
		return []string{line(a.Kind, qualified(a.Project, a.Name), a.Action)}
	case "delete":
		path := pathOf(arg(1), arg(2))
		if force {
			path += "&force=true"
		}
		var ok struct{}
		if lines := s.call(t, "DELETE", path, nil, &ok); lines != nil {
			return lines
		}
		return []string{"deleted"}
	}
	t.Fatalf("unknown command %q", words[0])
	return nil
}

func line(first string, more ...string) string {
	return strings.Join(append([]string{first}, more...), " ")
}

func qualified(project, name string) string {
	if project == "" {
		return name
	}
	return project + "/" + name
}

// pathOf returns the path of an object, "prompt" and "p/a" for example.
func pathOf(kind, key string) string {
	project, name, scoped := strings.Cut(key, "/")
	if !scoped {
		project, name = "", key
	}
	return "/" + kind + "s/" + url.PathEscape(name) + "?project=" + url.QueryEscape(project)
}

// maxShown is the length of a line above which it is shown by its hash.
const maxShown = 600

func shorten(text string) string {
	text = strings.ReplaceAll(text, "\n", `\n`)
	if len(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%s... %d bytes, sha256 %.16x", strings.ToValidUTF8(text[:80], ""), len(text), sha256.Sum256([]byte(text)))
}

// list returns the objects of a kind, from all pages, without those that are built in.
func (s *store) list(t *testing.T, kind, project string) []api.Object {
	t.Helper()
	var all []api.Object
	if lines := s.call(t, "GET", "/"+kind+"s?project="+url.QueryEscape(project), nil, &all); lines != nil {
		t.Fatal(lines)
	}
	return slices.DeleteFunc(all, func(o api.Object) bool { return o.Source == "built-in" })
}

// clear deletes all objects but the administrator of mcpd.
func (s *store) clear(t *testing.T) {
	t.Helper()
	for _, kind := range s.kinds {
		for _, o := range s.list(t, kind, "") {
			if o.Name == "root" {
				continue
			}
			var ok struct{}
			if lines := s.call(t, "DELETE", pathOf(kind, qualified(o.Project, o.Name))+"&force=true", nil, &ok); lines != nil {
				t.Fatal(lines)
			}
		}
	}
}

// call sends a request, decodes its answer, and returns nil; or the lines of its error.
func (s *store) call(t *testing.T, method, path string, body, into any) []string {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.header.Clone()
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(answer, into); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		return nil
	}
	var failure struct {
		Status int
		Error  *problem.Problem
	}
	if err := json.Unmarshal(answer, &failure); err != nil || failure.Error == nil || failure.Status != resp.StatusCode || resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%s %s: status %d, not a problem: %.300s", method, path, resp.StatusCode, answer)
	}
	return errorLines(failure.Status, failure.Error)
}

// errorLines returns what is equal for all stores: the status, the code, and of errors in a text their
// positions and messages.
func errorLines(status int, p *problem.Problem) []string {
	head := fmt.Sprintf("%d %s", status, p.Code)
	if p.Code != "E_INVALID" {
		return []string{head}
	}
	if len(p.Errors) == 0 {
		return []string{shorten(strings.TrimSpace(head + " " + p.At + " " + p.Message))}
	}
	out := []string{head}
	for _, e := range p.Errors {
		out = append(out, shorten("  "+e.At+" "+e.Message))
	}
	return out
}
