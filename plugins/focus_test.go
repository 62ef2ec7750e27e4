package plugins_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/section/crawl"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/plugins"
)

// pair is a question about a content, and the text that answers it.
type pair struct {
	file, question string
	answer         string // in the content
}

// Questions that were written before the stage was tuned, two for each type of content.
var tuned = []pair{
	{"jo-nia-news.json", "How did the AOSP search box get migrated to Kotlin?", "Migrating the AOSP QuickSearchBox App to Kotlin"},
	{"ja-flows-atltvhead.json", "Which function node handles button presses?", `"name":"Button Handler"`},
	{"nd-nginx.ndjson", "requests from the Java 1.8.0_25 client", "Java/1.8.0_25"},
	{"t-rg-runs.csv", "How long did sift take for case insensitive unicode greek?", "linux_unicode_greek_casei,3,10,sift"},
	{"p-gson-guide.md", "How do I keep null fields in the output?", "Gson gson = new GsonBuilder().serializeNulls().create();"},
	{"p-18f-infra.md", "What password policy do AWS accounts need?", "passwords expire after 90 days"},
	{"nginx.log", "HEAD requests for product_2", `"HEAD /downloads/product_2 HTTP/1.1"`},
	{"nginx.log", "Which requests were refused with status 403?", `HTTP/1.1" 403 `},
	{"net/http/server.go", "Where is the timeout for reading headers chosen?", "func (s *Server) readHeaderTimeout() time.Duration {"},
	{"encoding/json/decode.go", "How are unknown fields of an object refused?", `json: unknown field %q`},
	{"x-gson-parent-pom.xml", "Which JDK version does the enforcer plugin require?", "<version>[17,22)</version>"},
	{"y-comply-tsc.yaml", "Which criterion is about disposal of confidential information?", "name: Confidential Information Disposal"},
}

// Questions that were written after the stage was tuned, and not used to change it.
var heldOut = []pair{
	{"jo-nia-news.json", "Which article explains how to test dark theme before launch?", "Dark theme testing in Pre-Launch Report"},
	{"t-rg-runs.csv", "duration of ucg for Russian subtitles with surrounding words", "subtitles_ru_surrounding_words,3,10,ucg (ASCII)"},
	{"p-gh-privacy.md", "How can California residents limit sharing for direct marketing?", "#### Shine the Light Act"},
	{"nginx.log", "downloads by Chef clients", `"Chef Client/`},
	{"net/http/server.go", "How is a connection hijacked from the handler?", "func (c *conn) hijackLocked() ("},
	{"y-18f-nav.yaml", "Where is the page about parental leave?", "text: Paid parental leave"},
}

// Questions with hardly a word of the parts that answer them, for which words are no help.
// They show what the stage cannot do.
var paraphrased = []pair{
	{"p-gson-guide.md", "Can I rename properties when writing?", "### JSON Field Naming Support"},
	{"p-18f-infra.md", "Who pays when my experiments get expensive?", "#### Other people's money"},
	{"jo-nia-news.json", "Which episode is about hot reload?", "Live Edit"},
	{"net/http/server.go", "graceful stop that waits for clients", "func (s *Server) Shutdown("},
	{"y-comply-tsc.yaml", "Which rule covers guards and locked doors?", "name: Physical Access"},
	{"x-gson-parent-pom.xml", "Where is the code style checker set up?", "<artifactId>spotless-maven-plugin</artifactId>"},
}

// content returns a file of the corpus, of the sources of Go, or the log that the records
// of nd-nginx.ndjson come from.
func (p pair) content(t *testing.T) []byte {
	t.Helper()
	switch {
	case p.file == "nginx.log":
		return accessLog(t)
	case strings.HasSuffix(p.file, ".go"):
		return bytesOf(t, filepath.Join(runtime.GOROOT(), "src", p.file))
	}
	return bytesOf(t, filepath.Join("..", "testdata", "content", p.file))
}

// accessLog returns the first 2,000 records of nd-nginx.ndjson in the format of the log that
// they were made from.
func accessLog(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	n := 0
	for line := range bytes.Lines(bytesOf(t, filepath.Join("..", "testdata", "content", "nd-nginx.ndjson"))) {
		var r struct {
			Time, Request, Referrer, Agent string
			Remote                         string `json:"remote_ip"`
			User                           string `json:"remote_user"`
			Response, Bytes                int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s - %s [%s] %q %d %d %q %q\n", r.Remote, r.User, r.Time, r.Request, r.Response, r.Bytes, r.Referrer, r.Agent)
		if n++; n == 2000 {
			break
		}
	}
	return b.Bytes()
}

// focused is the outcome of a pair.
type focused struct {
	found         bool
	whole, tokens int // estimated
	text          string
	err           error // of the drill-down: the leaves do not join to the content
}

func (f focused) share() float64 { return float64(f.tokens) / float64(f.whole) * 100 }

// ask runs the stage for one pair.
func ask(t *testing.T, g wasm.Guest, content []byte, p pair) focused {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"path": p.file, "_question": p.question})
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.Run(t.Context(), abi.Call{Role: "focus", Input: content, Original: content, Arguments: arguments,
		Config:  []byte(`{"budget":20,"ceiling":4000,"floor":500,"minSize":5000}`),
		Context: abi.Context{Role: "focus", Kind: abi.KindStage, ContentType: abi.ToolResult, Source: "files/read", Hint: p.file, Part: abi.Part{Kind: abi.PartText, Count: 1}}})
	if err != nil {
		t.Fatalf("%s: %v", p.file, err)
	}
	doc, err := section.New(content, out.Tree, section.Settings{})
	if err != nil {
		t.Fatalf("%s: %v", p.file, err)
	}
	text := content
	if !out.Pass {
		text, _ = doc.Finish(out.Bytes, out.Marks, "k7m2q9x4t6b8w3n5")
	}
	read := func(section string) flow.Answer { return doc.Read("k7m2q9x4t6b8w3n5", section) }
	return focused{found: bytes.Contains(text, []byte(p.answer)), whole: abi.EstimateTokens(content), tokens: abi.EstimateTokens(text), text: string(text),
		err: crawl.Run(read, content, hosttest.IsStructure).Err()}
}

// focusGuest returns the stage of the committed module.
func focusGuest(t *testing.T) wasm.Guest {
	t.Helper()
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := wasm.Open(t.Context(), wasm.Options{CacheDir: compiled})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(t.Context()) })
	m, err := r.Load(t.Context(), "builtin", plugins.Builtin, true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("focus")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The first answer contains the part that answers, for at most a fifth of the tokens, and
// everything else can be read.
func TestFocusAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	g := focusGuest(t)
	for _, set := range []struct {
		name  string
		pairs []pair
		least int
	}{{"tuned", tuned, 11}, {"held out", heldOut, 5}, {"paraphrased", paraphrased, 0}} {
		found := 0
		for _, p := range set.pairs {
			content := p.content(t)
			if !bytes.Contains(content, []byte(p.answer)) {
				t.Fatalf("%s does not contain %q", p.file, p.answer)
			}
			f := ask(t, g, content, p)
			t.Logf("%-11s found %-5t %6d of %7d tokens, %4.1f%%: %s: %s", set.name, f.found, f.tokens, f.whole, f.share(), p.file, p.question)
			if dir := os.Getenv("FOCUS_OUT"); dir != "" {
				os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.file, "/", "_")+"."+strings.Fields(p.question)[0]), []byte(f.text), 0o600)
			}
			if f.found && f.share() <= 20 {
				found++
			}
			if f.share() > 20 && f.tokens < f.whole {
				t.Errorf("%s: %d of %d tokens", p.file, f.tokens, f.whole)
			}
			if f.err != nil {
				t.Errorf("%s: %v", p.file, f.err)
			}
		}
		t.Logf("%s: the part that answers is in %d of %d answers", set.name, found, len(set.pairs))
		if found < set.least {
			t.Errorf("%s: the part that answers is in %d of %d answers, want %d", set.name, found, len(set.pairs), set.least)
		}
	}
}
