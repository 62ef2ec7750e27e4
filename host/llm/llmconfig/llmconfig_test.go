package llmconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

func TestLLMSection(t *testing.T) {
	const text = `# settings
limits.frame: 64MiB
llm: # who answers
  providers:
  - {name: local, type: openai, model: qwen3, baseURL: "http://127.0.0.1:11434/v1/", maxConcurrent: 6, timeout: 20s, rateLimit: {perMinute: 30}}

  - name: claude
    type: anthropic
    model: claude-haiku
    apiKey: ${ANTHROPIC_API_KEY}
# a comment at the margin does not end it
  - name: gpu
    type: managed
    model: qwen3
    baseURL: http://127.0.0.1:8000/v1
    command: [vllm, serve, qwen3]
    env: {VLLM_API_KEY: "${VLLM}"}
    idleStop: 30m
  tiers: {fast: [local], heavy: [claude, local]}
  budget: {dailyTokens: 5000}
maxLines: 12
`
	l, warnings, err := Parse("config.yaml", text)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	local, claude, gpu := l.Providers[0], l.Providers[1], l.Providers[2]
	switch {
	case local.BaseURL != "http://127.0.0.1:11434/v1", local.MaxConcurrent != 6, local.Timeout != strictyaml.Duration(20*time.Second), local.PerMinute != 30, local.TokenField != TokenFieldOld:
		t.Errorf("local %+v", local)
	case claude.BaseURL != "https://api.anthropic.com", claude.APIKey.String() != "${ANTHROPIC_API_KEY}", claude.MaxConcurrent != 4, claude.Timeout != strictyaml.Duration(time.Minute), claude.At.Line != 7:
		t.Errorf("claude %+v", claude)
	case gpu.HealthURL != "http://127.0.0.1:8000/v1/models", gpu.IdleStop != strictyaml.Duration(30*time.Minute), gpu.ReadyTimeout != strictyaml.Duration(5*time.Minute), len(gpu.Env) != 1:
		t.Errorf("gpu %+v", gpu)
	case len(l.Fast) != 1, len(l.Heavy) != 2, l.Heavy[0] != "claude", l.DailyTokens != 5000:
		t.Errorf("tiers %v %v, budget %d", l.Fast, l.Heavy, l.DailyTokens)
	}
	_, rest := Split(text)
	if want := "# settings\nlimits.frame: 64MiB\n" + strings.Repeat("\n", 18) + "maxLines: 12\n"; rest != want {
		t.Errorf("the other lines: %q\nwant %q", rest, want)
	}
	again, _, _ := Parse("config.yaml", strings.Replace(text, "qwen3, baseURL", "qwen4, baseURL", 1))
	if again.Providers[0].Revision == local.Revision || again.Providers[1].Revision != claude.Revision {
		t.Error("the revision of an entry must depend on its fields only")
	}
}

func TestMissingTiers(t *testing.T) {
	for _, c := range []struct{ tiers, fast, heavy string }{
		{"", "a b", "a b"}, {"tiers: {fast: [b]}", "b", "b"}, {"tiers: {heavy: [b, a]}", "b a", "b a"}, {"tiers: {fast: [a], heavy: [b]}", "a", "b"},
	} {
		l, _, err := Parse("config.yaml", "llm:\n  providers: [{name: a, type: fake}, {name: b, type: fake}]\n  "+c.tiers)
		if err != nil || joined(l.Fast) != c.fast || joined(l.Heavy) != c.heavy {
			t.Errorf("%q: %v, %v, %v", c.tiers, l.Fast, l.Heavy, err)
		}
	}
}

func joined(names []object.Name) string {
	var list []string
	for _, n := range names {
		list = append(list, string(n))
	}
	return strings.Join(list, " ")
}

func TestInvalidLLMSection(t *testing.T) {
	openai := func(fields string) string {
		return "maxLines: 3\nllm:\n  providers:\n  - {name: a, type: openai, model: m, " + fields + "}\n"
	}
	for _, c := range []struct{ name, text, want, place string }{
		{"misspelt field", openai("baseUrl: \"http://h\""), `llm.providers[0].baseUrl is not a field here, did you mean "baseURL"?`, "config.yaml:4:"},
		{"misspelt section", "llm:\n  provider: []\n", `llm.provider is not a field here, did you mean "providers"?`, "config.yaml:2:3"},
		{"unknown type", "llm:\n  providers: [{name: a, type: opena}]\n", `type is "opena", want openai, anthropic, gemini-cli, managed or fake, did you mean "openai"?`, "config.yaml:2:"},
		{"no model", "llm:\n  providers: [{name: a, type: openai}]\n", "llm.providers[0].model is missing", "config.yaml:2:"},
		{"no name", "llm:\n  providers: [{type: fake}]\n", "llm.providers[0].name is missing", "config.yaml:2:"},
		{"reserved name none", "llm:\n  providers: [{name: none, type: fake}]\n", `"none" is reserved`, "config.yaml:2:"},
		{"duplicate name", "llm:\n  providers: [{name: a, type: fake}, {name: a, type: fake}]\n", `"a" is written twice`, "config.yaml:2:"},
		{"tier with an unknown provider", "llm:\n  providers: [{name: local, type: fake}]\n  tiers: {fast: [locale]}\n", `llm.tiers.fast[0] "locale" is not a provider, did you mean "local"?`, "config.yaml:3:18"},
		{"key in the file", openai("apiKey: sk-0123456789abcdef"), "apiKey is not a reference such as ${NAME}, the only valid form", "config.yaml:4:"},
		{"part of a key in the file", openai(`apiKey: "sk-0123456789abcdef${X}"`), "apiKey is not a reference", "config.yaml:4:"},
		{"password in the address", openai(`baseURL: "http://u:sk-0123456789abcdef@h"`), "baseURL contains a user or password", "config.yaml:4:"},
		{"query in the address", openai(`baseURL: "http://h/v1?key=sk-0123456789abcdef"`), "baseURL has a query", "config.yaml:4:"},
		{"metadata address", openai(`baseURL: "http://169.254.169.254/v1"`), "link-local", "config.yaml:4:"},
		{"zero timeout", openai("timeout: 0s"), "timeout is 0", "config.yaml:4:"},
		{"reference in the arguments", "llm:\n  providers: [{name: g, type: gemini-cli, command: [gemini, \"${KEY}\"]}]\n", "command[1] contains a reference: all users of this machine can read arguments", "config.yaml:2:"},
		{"no command", "llm:\n  providers: [{name: g, type: managed, model: m, baseURL: \"http://127.0.0.1:1\"}]\n", "command is missing", "config.yaml:2:"},
		{"unknown fault", "llm:\n  providers: [{name: f, type: fake, answers: [{fault: hung}]}]\n", `fault is "hung"`, "config.yaml:2:"},
		{"number as fault", "llm:\n  providers: [{name: f, type: fake, answers: [{fault: 429}]}]\n", `put it in quotes: "429"`, "config.yaml:2:"},
		{"invalid YAML", "llm:\n  providers: [\n", "", "config.yaml:2:"},
	} {
		_, _, err := Parse("config.yaml", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: %v\nwant %s (%s)", c.name, err, c.want, c.place)
		}
		if err != nil && strings.Contains(err.Error(), "sk-0123456789abcdef") {
			t.Errorf("%s: the error shows the key: %v", c.name, err)
		}
	}
	_, warnings, err := Parse("config.yaml", openai(`baseURL: "http://10.0.0.1/v1", apiKey: "${KEY}"`))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "sent unencrypted") {
		t.Errorf("unencrypted key: %v, %v", warnings, err)
	}
}

func TestLLMScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(`{"answers": [{"match": "x", "answer": "y", "latency": "1s", "times": 2}, {"fault": "429", "retryAfter": "2s"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := LoadScript(file)
	want := Answer{Match: "x", Answer: "y", Latency: strictyaml.Duration(time.Second), Times: 2}
	if err != nil || len(list) != 2 || list[0] != want || list[1].RetryAfter != strictyaml.Duration(2*time.Second) {
		t.Errorf("%+v, %v", list, err)
	}
}

// FuzzSplitLLM checks that every line is in exactly one part, at its position.
func FuzzSplitLLM(f *testing.F) {
	f.Add("a: b\nllm:\n  x: y\nc: d")
	f.Add("llm: {}\r\n\tx\n#\n\n  y\nz")
	f.Fuzz(func(t *testing.T, text string) {
		llm, rest := Split(text)
		a, b, all := strings.Split(llm, "\n"), strings.Split(rest, "\n"), strings.Split(text, "\n")
		if len(a) != len(all) || len(b) != len(all) {
			t.Fatalf("%d and %d lines of %d", len(a), len(b), len(all))
		}
		for i := range all {
			if a[i]+b[i] != all[i] {
				t.Fatalf("line %d is %q and %q, was %q", i, a[i], b[i], all[i])
			}
		}
	})
}
