package focus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestExamples(t *testing.T) { example.Run(t, "focus") }

// security are 15 messages about security, as in the example that the project began with:
// of 200 messages that a search returned, 15 are relevant.
var security = []string{
	"Security incident declared: leaked API key in a public gist, rotating now",
	"CVE-2024-3094 affects our base image, rebuilding tonight",
	"The vulnerability scan found 3 criticals in the billing image",
	"Reminder: report security incidents to the on-call, not by mail",
	"Postmortem of the incident with the stolen laptop is ready",
	"Patch for CVE-2024-21626 is rolled out to all nodes",
	"Is the vulnerability in libxml exploitable for us?",
	"Incident closed: the phishing mail reached 4 people, nobody clicked",
	"Security review of the login flow moved to Thursday",
	"Two vulnerabilities in the image resizer, fix is merged",
	"We rotate all tokens because of the security incident on Monday",
	"The CVE feed is down again, dependabot alerts are late",
	"New incident: brute force against the admin page, blocked at the edge",
	"Who owns the security headers of the docs site?",
	"The pen testers rate the vulnerability as high",
}

var smallTalk = []string{
	"Deploy of build %d is done", "Lunch at noon, table for %d?", "The printer on floor %d is out of paper", "Standup notes for day %d are in the wiki",
	"Can you review pull request %d?", "Invoice %d was sent to the customer", "Flaky test number %d fails again", "Welcome our new colleague in team %d",
	"Dashboard %d shows last week's traffic", "The meeting in room %d starts late",
}

// messages returns 200 messages, of which those about security are evenly spread.
func messages(t *testing.T) string {
	t.Helper()
	type message struct {
		TS      string `json:"ts"`
		User    string `json:"user"`
		Channel string `json:"channel"`
		Text    string `json:"text"`
	}
	var list []message
	for i := range 200 {
		m := message{fmt.Sprintf("17059%05d.%06d", i*331, i), fmt.Sprintf("U%05d", i*7919%31), [...]string{"general", "ops", "random"}[i*i%3], ""}
		if m.Text = fmt.Sprintf(smallTalk[i%len(smallTalk)], 100+i); i%13 == 5 {
			m.Text = security[i/13]
		}
		list = append(list, m)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMessagesAboutSecurity(t *testing.T) {
	for _, arguments := range []string{
		`{"query":"security incident OR vulnerability OR CVE","after":"2024-01-15"}`,
		`{"channel":"C024BE91L","limit":200,"_question":"Which messages are about security incidents, vulnerabilities or CVEs?"}`,
	} {
		got := stagetest.Run("focus", stagetest.Call{Input: messages(t), Arguments: arguments})
		if got.Outcome != stagetest.Done {
			t.Fatalf("%s: %s %s", arguments, got.Outcome, got.Reason)
		}
		for _, text := range security {
			if !strings.Contains(got.Output, text) {
				t.Errorf("%s: not shown: %s", arguments, text)
			}
		}
		if n := strings.Count(got.Output, `{"ts":`); n != len(security) {
			t.Errorf("%s: %d messages are shown, want %d:\n%s", arguments, n, len(security), got.Output)
		}
	}
}

// Arguments that do not tell the parts apart leave the content to the next stage.
func TestNothingToFocusOn(t *testing.T) {
	for rule, arguments := range map[string]string{
		"no arguments":          ``,
		"empty":                 `{}`,
		"only addresses":        `{"path":"src/security/incident.go","channelId":"C1","page":2,"repo":"security"}`,
		"a path in a value":     `{"from":"/var/log/security"}`,
		"an identifier":         `{"from":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6-00a0c91e6bf6"}`,
		"numbers and false":     `{"max":3,"security":false}`,
		"masked":                `{"query":"***"}`,
		"words that are absent": `{"query":"zebra giraffe"}`,
		"no text":               `{"query":"?! -"}`,
	} {
		if got := stagetest.Run("focus", stagetest.Call{Input: messages(t), Arguments: arguments}); got.Outcome != stagetest.Pass || len(got.Sections) > 0 {
			t.Errorf("%s: %s, %d sections:\n%.300s", rule, got.Outcome, len(got.Sections), got.Output)
		}
	}
}

// A prompt is not shortened to the parts that mention its arguments.
func TestPromptPasses(t *testing.T) {
	call := stagetest.Call{Input: messages(t), Arguments: `{"topic":"security"}`, Context: stagetest.Context{ContentType: stage.Prompt}}
	if got := stagetest.Run("focus", call); got.Outcome != stagetest.Pass {
		t.Errorf("%s:\n%.300s", got.Outcome, got.Output)
	}
}

// Words that all parts have lead to the index of all parts.
func TestAllPartsMatch(t *testing.T) {
	got := stagetest.Run("focus", stagetest.Call{Input: messages(t), Arguments: `{"query":"text channel user"}`})
	if got.Outcome != stagetest.Done || strings.Contains(got.Output, `{"ts"`) || len(got.Marks) != 1 {
		t.Errorf("%s:\n%.300s", got.Outcome, got.Output)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"readHeaderTimeout":    "read header timeout",
		"HTTPServer parseJSON": "http server parse json",
		"CVEs and URLs":        "cves and urls",
		"max_open-files.count": "max open files count",
		"a 7 x 404":            "7 404",
		"Übergrößen ändern":    "übergrößen ändern",
		"東京へ":                  "東 京 へ",
		"can't":                "can",
		"1.8.0_25":             "1 8 0 25",
		"sha256sum":            "sha256sum",
		"IPv6":                 "ipv6",
		"":                     "",
		"--- *** ":             "",
		"user@example.com":     "user example com",
		"path/to/File.go":      "path to file go",
	} {
		var words []string
		eachSubword([]byte(text), func(w []byte) { words = append(words, lower(w)) })
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"message", "messages", 1}, {"vulnerability", "vulnerabilities", 1}, {"install", "installation", 1}, {"configure", "configuration", 1},
		{"run", "running", 1}, {"retry", "retries", 1}, {"cve", "CVEs", 1}, {"box", "boxes", 1}, {"cache", "caches", 1}, {"Secure", "security", 1},
		{"vulnerable", "vulnerability", partly}, {"Sitzung", "Sitzungen", partly}, {"größe", "Größen", partly},
		{"interval", "internal", 0}, {"user", "used", 0}, {"status", "state", 0}, {"404", "403", 0}, {"404", "4040", 0}, {"class", "clap", 0},
	} {
		var q question
		q.add(c.a, asked)
		if _, got := newLookup(q.terms).find([]byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %g, want %g (%q, %q)", c.a, c.b, got, c.want, stem(strings.ToLower(c.a)), stem(strings.ToLower(c.b)))
		}
	}
}

// No content and no question makes the stage fail, and its answer stays within the budget.
func TestAnyContent(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files of the corpus")
	}
	files, err := filepath.Glob("../../../testdata/content/*.*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	contents := map[string]string{
		"one line": strings.Repeat("pump ", 3000), "nested": strings.Repeat("[", 3000) + `"pump"` + strings.Repeat("]", 3000),
		"keys": `{"pump":"` + strings.Repeat("x", 9000) + `","pump 2":"a\nb"}`, "no text": strings.Repeat("\x00\x01", 4000), "NUL": strings.Repeat("pump\x00\n", 2000),
		"string": `"` + strings.Repeat(`# pump\n\nIt runs.\n\n`, 600) + `"`, "cut": strings.Repeat(`{"pump":1,"x":[`, 800), "CRLF": strings.Repeat("# Pump\r\n\r\nIt runs.\r\n\r\n", 500),
		"Markdown in JSON": `{"content":"` + strings.Repeat(`## Pump\n\nIt runs with oil.\n\n## Tank\n\nIt is full of water, to the brim.\n\n`, 120) + `"}`,
		"columns":          strings.Repeat("pump,tank,valve\n1,2,3\n", 600), "blank": strings.Repeat(" \n\t", 4000), "wide": strings.Repeat("泵 油 ", 3000),
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents[filepath.Base(file)] = string(b)
	}
	for name, text := range contents {
		for _, question := range []string{"Which pump runs with oil?", "name type id value", "泵", "default description timeout 404 error", strings.Repeat("pump tank ", 200)} {
			arguments, err := json.Marshal(map[string]string{"_question": question})
			if err != nil {
				t.Fatal(err)
			}
			call := stagetest.Call{Input: text, Arguments: string(arguments)}
			got := stagetest.Run("focus", call)
			if got.Outcome == stagetest.Fail {
				t.Errorf("%s, %.40s: %s", name, question, got.Reason)
			}
			if limit := max(len(text)/3, 4000); len(got.Output) > limit {
				t.Errorf("%s, %.40s: %d bytes of %d", name, question, len(got.Output), len(text))
			}
			if again := stagetest.Run("focus", call); again.Output != got.Output || len(again.Sections) != len(got.Sections) {
				t.Errorf("%s, %.40s: another answer for the same call", name, question)
			}
		}
	}
}
