package host

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// secrets are the secrets in a content, with their replacements by the example
// filter examples/stages/redactor-go.
var secrets = [][2]string{
	{"correct horse battery", "[redacted password]"},
	{"app:s3cr3t-of-the-db", "[redacted password]"},
	{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted token]"},
	{"ann.lee@people.test", "[redacted e-mail]"},
	{"-----BEGIN RSA PRIVATE KEY-----NEVERTOBESEEN-----END RSA PRIVATE KEY-----", "[redacted private key]"},
}

// held replaces placeholders in text by secrets, or by their replacements.
func held(text string, secret bool) string {
	for i, s := range secrets {
		from := "{" + string(rune('0'+i)) + "}"
		to := s[1]
		if secret {
			to = s[0]
		}
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

var redactedContents = map[string]string{
	"get": strings.Repeat("# Service\n\nAsk {3} before a restart.\n\n## Settings\n\nDB_PASSWORD={0}\nurl: postgres://{1}@db.example.com/app\n\n"+
		"## Deploy\n\npush with {2}\n\n{4}\n\nTokens MUST be rotated.\n\n", 60),
	"structured": `{"owner":"{3}","services":[` + strings.TrimSuffix(strings.Repeat(
		`{"name":"db","password":"{0}","env":"A=1\nSECRET={1}\nB=2","notes":{"deploy":"push with {2}","key":"{4}\n"}},`, 60), ",") + `]}`,
}

// A secret that the example filter removes is in no answer, section, window,
// search, event, log, or file of the home. Without the filter, the same checks find
// it.
func TestExampleRedactorRemovesSecretsEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module of Go")
	}
	module, err := os.ReadFile("../examples/dist/redactor-go.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for name, stages := range map[string][]string{
		"with it":    {"type: redactor", "type: section-split"},
		"without it": {"type: section-split"},
	} {
		t.Run(name, func(t *testing.T) {
			var log logged
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"), "proxymodels/safe.yaml": model("safe", stages...)},
				func(o *Options) {
					o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				})
			r.put(t, "stages/redactor.wasm", module)
			r.reload(t)
			open := len(stages) == 1 // nothing is redacted
			places := map[string]string{}
			cl := r.dial(t)
			for tool, content := range redactedContents {
				places[tool] = crawled(t, r, cl, "up__"+tool, file(t, []byte(held(content, true))), held(content, open))
			}
			places["events"] = marshal(t, r.Events(0, event.Query{}))
			places["log"] = log.String()
			r.stop()
			places["home"] = readFiles(t, r.dir)
			if want := []string{"get", "home", "structured"}; open && !slices.Equal(placesWithSecret(places), want) {
				t.Errorf("secrets are found in %v, want them in %v: the test checks too little", placesWithSecret(places), want)
			}
			if found := placesWithSecret(places); !open && len(found) > 0 {
				t.Errorf("secrets are found in %v", found)
			}
			for tool := range redactedContents {
				if !open && !strings.Contains(places[tool], "[redacted password]") {
					t.Errorf("%s: no replacement text", tool)
				}
			}
		})
	}
}

// An invalid rule in the config withholds the result, because its secrets would not
// be removed.
func TestExampleRedactorFailsClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module of Go")
	}
	module, err := os.ReadFile("../examples/dist/redactor-go.wasm")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"),
		"proxymodels/safe.yaml": model("safe", "{type: redactor, config: {rules: [token, passwort]}}", "type: section-split")})
	r.put(t, "stages/redactor.wasm", module)
	r.reload(t)
	for tool, content := range redactedContents {
		answer := r.dial(t).tool(t, "up__"+tool, file(t, []byte(held(content, true))))
		if !answer.IsError || !strings.Contains(answer.text(), `filter "redactor" failed`) || answer.Meta.Ref != "" {
			t.Errorf("%s answers %.300s", tool, answer.raw)
		}
	}
	if report := outcomes(r.lastRun(t)); !strings.Contains(report, "its message may quote content and is not kept") {
		t.Errorf("the event contains %s", report)
	}
	checks, err := r.Lab().ValidateModel(t.Context(), lab.ModelCheck{Name: "safe"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(checks, func(c lab.Check) bool {
		return c.Err != nil && strings.Contains(c.Err.Error(), `"passwort" is not one of`)
	}) {
		t.Errorf("a check of the proxymodel does not report the rule: %v", checks)
	}
	r.stop()
	if found := placesWithSecret(map[string]string{"home": readFiles(t, r.dir)}); len(found) > 0 {
		t.Errorf("secrets are found in %v", found)
	}
}

// crawled returns all texts that a client can read of a result: the answer, every
// offered section, windows, and searches.
func crawled(t *testing.T, r *rig, c *client, tool, arguments, original string) string {
	t.Helper()
	answer := c.tool(t, tool, arguments)
	if answer.IsError || answer.Meta.Ref == "" {
		t.Fatalf("%s answers %.300s", tool, answer.raw)
	}
	all := bytes.NewBuffer(answer.raw)
	read := func(section string) flow.Answer {
		a := r.Read(t.Context(), scope, answer.Meta.Ref, section)
		all.Write(a.Text)
		return a
	}
	if err := crawl.Run(read, []byte(original), hosttest.IsStructure).Err(); err != nil {
		t.Errorf("%s: leaves do not join to the redacted content: %v", tool, err)
	}
	sections := []string{"!", "~B0-4000", "~L1-40@0", "?password", "?DB_PASSWORD"}
	for _, s := range secrets {
		sections = append(sections, "?"+s[0][:len(s[0])/2])
	}
	for _, section := range sections {
		all.Write(c.section(t, answer.Meta.Ref, section).raw)
		arguments := strings.TrimSuffix(arguments, "}") + `,"_section":` + marshal(t, section) + "}"
		all.Write(c.tool(t, tool, arguments).raw)
	}
	return all.String()
}

// readFiles returns the contents of all files of a home.
func readFiles(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// placesWithSecret returns the sorted names of the places that contain the second half of a
// secret. The first half is part of search queries, which answers repeat.
func placesWithSecret(places map[string]string) (names []string) {
	for name, text := range places {
		if slices.ContainsFunc(secrets, func(s [2]string) bool { return strings.Contains(text, s[0][len(s[0])/2:]) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// logged is a log that stores its output.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
