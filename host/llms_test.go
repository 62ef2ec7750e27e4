package host

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/store"
)

const fakeSection = `llm:
  providers:
  - {name: scripted, type: fake, answers: [{latency: 20ms, answer: "SUMMARY of the part. It says more."}]}
`

// A configured provider is used by the stages and controllers of every project
// without a provider of its own. Changes of config.yaml take effect at once.
func TestLLMOfSettings(t *testing.T) {
	r := newRig(t, files{"config.yaml": fakeSection, "servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex"),
		"projects/off.yaml": strings.NewReplacer("name: home", "name: off", "spec: {", "spec: {llmProvider: none, ").Replace(project("ungated-subindex"))})
	if got := r.LLM().Resolution("home"); got != "scripted (fake) (llm.tiers of config.yaml)" {
		t.Errorf("home: %q", got)
	}
	if got := r.LLM().Resolution("off"); got != "none (llmProvider: none)" {
		t.Errorf("off: %q", got)
	}
	if id := r.runtime.LLMIdentity("home"); !strings.Contains(id, "scripted") || r.runtime.LLMIdentity("off") != "" {
		t.Errorf("identities %q and %q", id, r.runtime.LLMIdentity("off"))
	}
	q := abi.LLMRequest{Project: "home", MaxTokens: 100, Parts: []abi.LLMPart{{Text: []byte("a text")}}, Background: true}
	call, err := r.opts.LLM.Send(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	<-call.Done()
	if a, ok := r.opts.LLM.Stored(q); !ok || !strings.HasPrefix(string(a.Text), "SUMMARY") {
		t.Errorf("stored %q, %v", a.Text, ok)
	}
	again := openAgain(t, r)
	if a, ok := again.opts.LLM.Stored(q); !ok || !strings.HasPrefix(string(a.Text), "SUMMARY") {
		t.Errorf("after a restart: stored %q, %v", a.Text, ok)
	}
	r = again
	if call, err = r.opts.LLM.Send(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	<-call.Done()
	got := r.scraped(t)
	if got[`mcpctl_llm_requests_total{provider="scripted"}`] != 1 || got[`mcpctl_llm_errors_total{provider="scripted"}`] != 0 {
		t.Errorf("metrics %v", got)
	}

	r.put(t, "config.yaml", []byte(strings.Replace(fakeSection, "scripted", "other", 1)))
	if got := eventually(func() bool { return strings.HasPrefix(r.LLM().Resolution("home"), "other") }, true); !got {
		t.Fatal("the changed config.yaml has no effect")
	}
	r.put(t, "config.yaml", []byte("llm:\n  providers: [{name: other, type: fakir}]\n"))
	r.reload(t)
	if !problem(r.Problems(), `type is "fakir"`) {
		t.Errorf("problems %v", r.Problems())
	}
	if got := r.LLM().Resolution("home"); !strings.HasPrefix(got, "other") {
		t.Errorf("with errors in the file: %q, want the previous setting", got)
	}
}

// openAgain closes the Host and opens its home again.
func openAgain(t *testing.T, r *rig) *rig {
	t.Helper()
	r.stop()
	return openRig(t, r.dir)
}

// With a configured provider the index without summaries is returned at once, and
// the summaries appear later. Results of a faulty provider are not stored.
func TestSummariesByProviderOfSettings(t *testing.T) {
	const rule = "{name: scripted, type: fake, maxConcurrent: 6, answers: ["
	for _, fault := range []string{`{fault: "500"}`, "{fault: html}", "{fault: half}", "{fault: empty}", "{fault: cut, answer: SUMMARY, latency: 5s}", `{fault: "429", retryAfter: 1h}`, "{fault: hang}"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, files{"config.yaml": "llm:\n  providers: [" + rule + fault + "]}]\n", "projects/home.yaml": project("ungated-subindex")})
			c := toolResult(prose(t), "privacy.md")
			first := r.show(t, c)
			if !first.Changed || strings.Contains(string(first.Text), "SUMMARY") {
				t.Fatalf("no index at once:\n%s", first.Text)
			}
			if got := stage(r.show(t, c).Run, "summarize-tree").Outcome; got == "cached" {
				t.Error("a result without its summaries is cached")
			}
			r.put(t, "config.yaml", []byte("llm:\n  providers: ["+rule+"{answer: \"SUMMARY of the part. It says more.\"}]}]\n"))
			r.reload(t)
			if !eventually(func() bool { return strings.Contains(string(r.show(t, c).Text), "SUMMARY") }, true) {
				t.Error("there is no summary although the provider works")
			}
		})
	}
}

// A call waits 3 s and a little, regardless of the number of stages that wait.
func TestStagesShareLLMWait(t *testing.T) {
	r := newRig(t, files{"config.yaml": "llm:\n  providers: [{name: mute, type: fake, answers: [{fault: hang}]}]\n",
		"proxymodels/two.yaml": model("two", "{type: enhance}", "{type: summarize}"), "projects/home.yaml": project("two")})
	r.show(t, toolResult([]byte("the module is loaded"), "short.md"))
	took := within(t, 4*time.Second, "a call", func() {
		if got := outcomes(r.show(t, toolResult(document30(1), "1.md")).Run); strings.Count(got, "pass") != 2 {
			t.Errorf("stages ended as\n%s", got)
		}
	})
	if took < 3*time.Second {
		t.Errorf("waited %v", took)
	}
}

// After a provider has sent retryAfter, calls do not wait for it until then.
func TestCallsDoNotWaitDuringRetryAfter(t *testing.T) {
	r := newRig(t, files{"config.yaml": "llm:\n  providers: [{name: full, type: fake, answers: [{fault: \"429\", retryAfter: 8s}]}]\n",
		"proxymodels/one.yaml": model("one", "{type: summarize}"), "projects/home.yaml": project("one")})
	r.show(t, toolResult([]byte("the module is loaded"), "short.md"))
	for i := range 3 {
		took := within(t, 2*time.Second, "a call", func() {
			run := r.show(t, toolResult(document30(i), strconv.Itoa(i)+".md")).Run
			if got := stage(run, "summarize"); got.Outcome != "pass" || !strings.Contains(fmt.Sprint(got.Log), "accepts no request") {
				t.Errorf("%s, %v", got.Outcome, got.Log)
			}
		})
		t.Logf("content %d: %v", i, took)
	}
}

// A stage that requires an LLM reports why none was used.
func TestReasonForUnusedLLM(t *testing.T) {
	skipShort(t)
	text := toolResult(prose(t), "privacy.md")
	for _, c := range []struct {
		rule, settings, project string
		offline                 bool
		want                    string
	}{
		{"no provider", "", project("ungated"), false, "no LLM provider configured"},
		{"no provider, offline", "", project("ungated"), true, "no LLM provider configured"},
		{"provider, offline", fakeSection, project("ungated"), true, "no LLM is asked offline"},
		{"llmProvider none", fakeSection, strings.Replace(project("ungated"), "spec: {", "spec: {llmProvider: none, ", 1), false, "the project's llmProvider is none"},
	} {
		r := newRig(t, files{"config.yaml": c.settings, "projects/home.yaml": c.project}, func(o *Options) { o.Offline = c.offline })
		want := `stage "summarize": ` + c.want + ", content passed on unchanged"
		if got := stage(r.show(t, text).Run, "summarize"); got.Error != want || got.Outcome != "pass" {
			t.Errorf("%s: %s, %q, want %q", c.rule, got.Outcome, got.Error, want)
		}
		r.stop()
	}
}

func problem(list []store.Problem, text string) bool {
	for _, p := range list {
		if strings.Contains(p.Err.Error(), text) {
			return true
		}
	}
	return false
}

// The first session of a project warms up its LLM server.
func TestFirstSessionWarmsUpLLM(t *testing.T) {
	r := newRig(t, files{"config.yaml": "llm:\n  providers: [{name: gpu, type: managed, model: m, command: [/nowhere/vllm], baseURL: \"http://127.0.0.1:1/v1\"}]\n",
		"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("default")})
	if got := r.LLM().Providers()[0].State; got != "cold" {
		t.Fatalf("state %q before the first session", got)
	}
	r.dial(t)
	const want = "failed: start vllm: no such file or directory"
	if got := eventually(func() string { return r.LLM().Providers()[0].State }, want); got != want {
		t.Errorf("state %q, want %q", got, want)
	}
}

// A problem of a provider is reported with the place to correct it.
func TestLLMProblems(t *testing.T) {
	r := newRig(t, files{"config.yaml": "llm:\n  providers: [{name: claude, type: anthropic, model: m, apiKey: \"${MCPCTL_TEST_NO_KEY}\"}]\n",
		"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": strings.Replace(project("default"), "spec: {", "spec: {llmProvider: claud, ", 1)})
	for _, want := range []string{
		`LLM provider "claude": apiKey needs ${MCPCTL_TEST_NO_KEY}, set neither in the daemon's environment nor in secrets.yaml`,
		`llmProvider "claud" is not in config.yaml, did you mean "claude"?`,
	} {
		if !problem(r.Problems(), want) {
			t.Errorf("%q is not in %v", want, r.Problems())
		}
	}
	r.put(t, "secrets.yaml", []byte("MCPCTL_TEST_NO_KEY: \"0123456789\"\n"))
	r.reload(t)
	if problem(r.Problems(), "apiKey needs") {
		t.Errorf("with the key set: %v", r.Problems())
	}
}
