package wasm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// foreign returns a module of testdata/foreign, which also contains its source.
func foreign(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../testdata/foreign", file+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// localGuest loads a module that is not trusted and returns its role.
func (b *bench) localGuest(t testing.TB, name string, file []byte) Guest {
	return b.role(t, name, file, false)
}

// matches compares a text with the expected one, in which … matches any text.
func matches(text, want string) bool {
	begin, rest, _ := strings.Cut(want, "…")
	return text == want || begin != want && strings.HasPrefix(text, begin) && strings.HasSuffix(text, rest)
}

func TestFormats(t *testing.T) {
	for file, want := range map[string]module.Format{
		"extism-upper": module.FormatExtism, "extism-exit": module.FormatExtism, "wasi-upper": module.FormatWASI,
	} {
		info, err := module.Inspect("x", foreign(t, file))
		if err != nil || info.Format != want || info.Manifest.Roles[0].Kind != abi.KindStage {
			t.Errorf("%s is of the format %q, %v; want %s", file, info.Format, err, want)
		}
	}
}

// TestRefusedForeignFiles checks the error texts that follow `module "head": `.
func TestRefusedForeignFiles(t *testing.T) {
	packed := func(file, manifest string) []byte {
		b, err := module.WithManifest(foreign(t, file), []byte(`{"name":"m","abi":"1.0","roles":[`+manifest+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	packedTop := func(file, field string) []byte {
		b, err := module.WithManifest(foreign(t, file), []byte(`{"name":"m","abi":"1.0",`+field+`,"roles":[{"name":"head","kind":"stage"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	tests := []struct {
		rule string
		file []byte
		want string
	}{
		{"entry with a parameter", foreign(t, "extism-entry"), "export transform is (i32) -> i32, want () -> i32"},
		{"two possible entries", foreign(t, "extism-roles"), `exports no function for the role "head": want one () -> i32 named head, transform or run, it has first_role, second`},
		{"function of a newer Extism", foreign(t, "extism-newer"), `imports extism:host/env.inputs_length, which this host does not have, did you mean "input_length"?`},
		{"mcpctl ABI in extism module", foreign(t, "extism-ours"), "imports mcpctl:core/v1.buf_len, but exports no mcpctl_abi_v1, without which it is of the format extism"},
		{"unknown import", foreign(t, "extism-foreign"), "imports wasi:http/types, allowed are extism:host/env, extism:host/user, wasi_snapshot_preview1, env.abort"},
		{"native module that imports from Extism", foreign(t, "extism-marker"), ""},
		{"start traps", foreign(t, "extism-init-trap"), "_initialize trapped: unreachable"},
		{"start never ends", foreign(t, "extism-init-loop"), "_initialize trapped after … (limit 60ms, set limits.time)"},
		{"start function never ends", foreign(t, "extism-start-loop"), "start trapped after … (limit 60ms, set limits.time)"},
		{"start function calls the host", foreign(t, "extism-start-calls"), "start trapped: it calls the host, which has nothing for it before the entry is called, or takes too long"},
		{"start with another signature", foreign(t, "extism-haskell-entry"), "export hs_init is (i32) -> (), want (i32, i32) -> ()"},
		{"constructors with another signature", foreign(t, "extism-ctors-entry"), "export __wasm_call_ctors is (i32) -> (), want () -> ()"},
		{"allowed hosts in manifest", packedTop("extism-http", `"allowed_hosts":["*"]`), `manifest: unknown field "allowed_hosts"`},
		{"filter for Extism", packed("extism-upper", `{"name":"head","kind":"filter"}`), `manifest: roles[0] "head" is a filter, but the module is of the format extism, which has stages only`},
		{"controller as a command", packed("wasi-upper", `{"name":"head","kind":"controller"}`), `manifest: roles[0] "head" is a controller, but the module is of the format wasi, which has stages only`},
		{"cache without the capability", packed("extism-cache", `{"name":"head","kind":"stage"}`), "imports extism:host/user.mcpctl_cache_get or mcpctl_cache_set, manifest does not list cache"},
		{"llm without the capability", packed("extism-llm", `{"name":"head","kind":"stage"}`), "imports extism:host/user.mcpctl_llm_complete, manifest does not list llm"},
		{"role without an export", packed("extism-roles", `{"name":"second","kind":"stage"},{"name":"third","kind":"stage"}`), `exports no function for the role "third": want one () -> i32 named third, transform or run, it has first_role, second`},
		{"_start with a result", foreign(t, "wasi-entry"), "export _start is not a function () -> ()"},
		{"mcpctl ABI in command", foreign(t, "wasi-ours"), "imports mcpctl:core/v1.buf_len, but exports no mcpctl_abi_v1, without which it is of the format wasi"},
	}
	short, long := newBench(t, func(o *Options) { o.Limits.Time = 60 * time.Millisecond }), newBench(t, nil)
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			b := long
			if strings.Contains(tt.want, "limits.time") {
				b = short
			}
			m, err := b.Load(t.Context(), "head", tt.file, false)
			if m != nil {
				m.Close()
			}
			if tt.want == "" {
				tt.want = "imports extism:host/env, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort"
			}
			if err == nil || !matches(err.Error(), `module "head": `+tt.want) {
				t.Errorf("got  %v\nwant module \"head\": %s", err, tt.want)
			}
		})
	}
}

// TestForeignGuests checks the output of modules of other formats, or the error texts that
// follow `stage "x": `.
func TestForeignGuests(t *testing.T) {
	in := "some text"
	tests := []struct {
		file string
		want string
		kind error // nil: want is the output
	}{
		{"extism-upper", "SOME TEXT", nil},
		{"extism-init", "started", nil},
		{"extism-dice", "", nil},
		{"extism-status", "returned 3, want 0", abi.ErrRefused},
		{"extism-error", `line 7 is no JSON\u001b[31m`, abi.ErrRefused},
		{"extism-exit", "guest exited with status 0 in mid-call", abi.ErrGuest},
		{"extism-nothing", "returned 0 without output", abi.ErrGuest},
		{"extism-outside", "returned 0 without output", abi.ErrGuest},
		{"extism-loop", "guest trapped after … (limit 100ms, set limits.time)", abi.ErrLimit},
		{"extism-grow", "guest trapped: unreachable at 8 MiB (limit 8 MiB, set limits.memory)", abi.ErrLimit},
		{"extism-alloc", "guest had no memory left for its texts (limit 8 MiB, set limits.memory)", abi.ErrLimit},
		{"extism-http", "guest trapped: http_request: a request to http://127.0.0.1:1/steal: none are allowed", abi.ErrGuest},
		{"extism-huge", "s", nil},
		{"extism-pointer", "returned 0 without output", abi.ErrGuest},
		{"extism-free", "s", nil},
		{"extism-calls", "guest trapped after … (limit 100ms, set limits.time)", abi.ErrLimit},
		{"extism-tables", "returned 7, want 0", abi.ErrRefused},
		{"extism-used", "guest trapped: log_info: a text that ends outside memory", abi.ErrGuest},
		{"extism-vars", "guest trapped: var_set: variables of 1,048,864 bytes, limit 1,048,576", abi.ErrGuest},
		{"wasi-pointer", "guest trapped: bad pointer in fd_read(0, 0, 1, 8)", abi.ErrGuest},
		{"wasi-upper", "SOME TEXT", nil},
		{"wasi-world", "----", nil},
		{"wasi-status", "exited with status 3: error: line 7 is no JSON", abi.ErrRefused},
		{"wasi-half", `exited with status 70: \u001b[2Jgone\u0008\u0008`, abi.ErrRefused},
		{"extism-half", "returned -1, want 0", abi.ErrRefused},
		{"wasi-log", "guest trapped after … (limit 100ms, set limits.time)", abi.ErrLimit},
		{"wasi-nothing", "exited with status 0 without output", abi.ErrGuest},
		{"wasi-trap", "guest trapped: unreachable", abi.ErrGuest},
		{"wasi-loop", "guest trapped after … (limit 100ms, set limits.time)", abi.ErrLimit},
		{"wasi-grow", "guest trapped: unreachable at 8 MiB (limit 8 MiB, set limits.memory)", abi.ErrLimit},
		{"wasi-flood", "output over 1,048,612 bytes (set limits.output)", abi.ErrLimit},
		{"wasi-start", "00", nil}, // the same with and without a prepared guest
		{"wasi-utf8", "output is not UTF-8 at byte 2", abi.ErrGuest},
	}
	short := newBench(t, func(o *Options) { o.Limits.Time, o.Limits.Memory = 100*time.Millisecond, 8<<20 })
	long := newBench(t, func(o *Options) { o.Limits.Memory = 8 << 20 })
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			b := long
			if strings.Contains(tt.want, "limits.time") { // a slow machine must not end the others
				b = short
			}
			g := b.localGuest(t, tt.file, foreign(t, tt.file))
			first, err := g.Run(t.Context(), content(in))
			for range 4 { // a busy machine gives a process too little time to stop its guest
				if err == nil || !strings.HasPrefix(err.Error(), "guest did not stop ") {
					break
				}
				first, err = g.Run(t.Context(), content(in))
			}
			if tt.kind != nil {
				if err == nil || !matches(err.Error(), tt.want) || !errors.Is(err, tt.kind) {
					t.Errorf("got  %v\nwant %s", err, tt.want)
				}
				return
			}
			second, err2 := g.Run(t.Context(), content(in))
			if err != nil || err2 != nil || tt.want != "" && string(first.Bytes) != tt.want || string(first.Bytes) != string(second.Bytes) {
				t.Errorf("got %q, %v and %q, %v; want %q", first.Bytes, err, second.Bytes, err2, tt.want)
			}
		})
	}
}

// TestForeignOutputLimit runs the same module below and above the limit.
func TestForeignOutputLimit(t *testing.T) {
	g := newBench(t, nil).localGuest(t, "flood", foreign(t, "extism-flood"))
	if _, err := g.Run(t.Context(), content("x")); err == nil || err.Error() != "output over 1,048,580 bytes (set limits.output)" || !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
	c := content("x")
	c.Context.Limits.OutputBytes = 8 << 20
	if out, err := g.Run(t.Context(), c); err != nil || len(out.Bytes) != 8<<20 {
		t.Errorf("%d bytes, %v", len(out.Bytes), err)
	}
	if _, err := g.Run(t.Context(), content(strings.Repeat("x", 70<<20))); err == nil || err.Error() != "guest needs 72 MiB at least (limit 64 MiB, set limits.memory)" {
		t.Errorf("an input that is too large: %v", err)
	}
}

// TestForeignPass verifies that writing the input unchanged means PASS.
func TestForeignPass(t *testing.T) {
	b := newBench(t, nil)
	for _, file := range []string{"extism-same", "wasi-same"} {
		g := b.localGuest(t, file, foreign(t, file))
		for _, in := range []string{"text", "", strings.Repeat("0123456789", 20_000)} {
			c := content(in)
			c.Marks = []abi.Mark{{Offset: len(in), Section: -1}}
			if out, err := g.Run(t.Context(), c); err != nil || !out.Pass || len(out.Marks) != 1 {
				t.Errorf("%s of %d bytes: %+v, %v", file, len(in), out, err)
			}
		}
	}
}

func TestForeignCallsAreClean(t *testing.T) {
	b := newBench(t, nil)
	for file, want := range map[string]string{"extism-leak": "000", "wasi-leak": "00"} {
		g := b.localGuest(t, file, foreign(t, file))
		for i := range 4 {
			if out, err := g.Run(t.Context(), content("text")); err != nil || string(out.Bytes) != want {
				t.Errorf("%s, call %d: %q, %v", file, i, out.Bytes, err)
			}
		}
	}
}

func TestForeignConfig(t *testing.T) {
	b := newBench(t, nil)
	g := b.localGuest(t, "config", foreign(t, "extism-config"))
	for key, want := range map[string]string{"rule": "a \"rule\"", "most": `{"lines":[1,2]}`} {
		c := content(key)
		c.Config = []byte(`{"most":{"lines":[1,2]},"rule":"a \"rule\""}`)
		if out, err := g.Run(t.Context(), c); err != nil || string(out.Bytes) != want {
			t.Errorf("%s is %q, %v; want %q", key, out.Bytes, err, want)
		}
	}
	if out, err := g.Run(t.Context(), content("context")); err != nil || !strings.Contains(string(out.Bytes), `"source":"files/read"`) {
		t.Errorf("context is %q, %v", out.Bytes, err)
	}
	g = b.localGuest(t, "args", foreign(t, "wasi-args"))
	for config, want := range map[string]string{
		`{"n":1}`:               "args\n{\"n\":1}\n{\"abi\":\"" + abi.Version + "\",\"role\":\"args\",",
		`{"args":["-n","a b"]}`: "args\n-n\na b\n",
		`{"args":[],"n":1}`:     "args\n",
		`{"args":"text"}`:       "args\n{\"args\":\"text\"}\n{",
		`{"args":["a\u0000b"]}`: "args\na\n",
		`{"args":["ü",""]}`:     "args\nü\n\n",
	} {
		c := content("text")
		c.Config = []byte(config)
		out, err := g.Run(t.Context(), c)
		if got := string(out.Bytes); err != nil || !strings.HasPrefix(got, want) || strings.HasSuffix(want, "\n") && len(got) > len(want) {
			t.Errorf("config %s: arguments %q, %v; want %q", config, got, err, want)
		}
	}
}

func TestForeignLog(t *testing.T) {
	b := newBench(t, nil)
	out, err := b.localGuest(t, "log", foreign(t, "extism-log")).Run(t.Context(), content("text"))
	if got, want := fmt.Sprint(out.Log), "[{error a word} {debug a word} {info a word}]"; err != nil || got != want {
		t.Errorf("log %s, %v; want %s", got, err, want)
	}
	out, err = b.localGuest(t, "logs", foreign(t, "extism-logs")).Run(t.Context(), content("text"))
	if n := len(out.Log); err != nil || n != abi.LimitLogLines+1 || out.Log[n-1].Text != "dropped 500 lines" {
		t.Errorf("%d lines, %v", n, err)
	}
	out, _ = b.localGuest(t, "status", foreign(t, "wasi-status")).Run(t.Context(), content("text"))
	if got, want := fmt.Sprint(out.Log), "[{warn warning: something} {warn error: line 7 is no JSON}]"; got != want {
		t.Errorf("standard error: %s, want %s", got, want)
	}
}

func TestForeignCache(t *testing.T) {
	b := newBench(t, nil)
	g := b.localGuest(t, "cache", foreign(t, "extism-cache"))
	if out, err := g.Run(t.Context(), content("text")); err != nil || !out.Pass {
		t.Errorf("first run: %+v, %v", out, err)
	}
	if out, err := g.Run(t.Context(), content("text")); err != nil || string(out.Bytes) != "kept before" {
		t.Errorf("second run: %q, %v", out.Bytes, err)
	}
	other := content("text")
	other.Context.Project = "away"
	if out, err := g.Run(t.Context(), other); err != nil || !out.Pass {
		t.Errorf("another project reads it: %q, %v", out.Bytes, err)
	}
	file, err := module.WithManifest(foreign(t, "extism-cache"), []byte(`{"name":"m","abi":"1.0","roles":[{"name":"cache","kind":"stage"},{"name":"other","kind":"stage","capabilities":["cache"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.localGuest(t, "cache", file).Run(t.Context(), content("text")); err == nil || err.Error() != fmt.Sprintf("returned %d, want 0", -abi.CodeDenied) {
		t.Errorf("role without the capability: %v", err)
	}
}

func TestForeignSections(t *testing.T) {
	out, err := newBench(t, nil).localGuest(t, "section", foreign(t, "extism-section")).Run(t.Context(), content("some text"))
	if err != nil || !out.Pass || len(out.Tree.Sections) != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	head, inner := out.Tree.Sections[0], out.Tree.Sections[1]
	if head.ID != "head" || head.Title != "Head" || head.Summary != "a summary" || head.End != 4 || head.Kind != abi.SectionExact || inner.Parent != 0 || inner.Title != "Inner" {
		t.Errorf("got %+v and %+v", head, inner)
	}
}

func TestForeignLLM(t *testing.T) {
	tests := []struct {
		rule, request string
		llm           *hosttest.LLM
		want          string
		provisional   bool
	}{
		{"answered", `{"prompt":"sum up"}`, &hosttest.LLM{Latency: time.Second}, `{"status":"ok","text":"fake: sum up"}`, false},
		{"too slow", `{"prompt":"sum up"}`, &hosttest.LLM{Latency: 10 * time.Second}, `{"status":"pending","error":"no answer yet, 0s of waiting left"}`, true},
		{"in the background", `{"prompt":"sum up","background":true}`, &hosttest.LLM{Latency: time.Second}, `{"status":"pending","error":"no answer yet, 3s of waiting left"}`, true},
		{"no LLM", `{"prompt":"sum up"}`, nil, `{"status":"unavailable","error":"no LLM provider configured"}`, false},
		{"unknown tier", `{"prompt":"sum up","tier":"huge"}`, &hosttest.LLM{}, `{"status":"error","error":"tier -1"}`, false},
		{"unknown field", `{"promt":"sum up"}`, &hosttest.LLM{}, `{"status":"error","error":"json: unknown field \"promt\""}`, false},
		{"too many tokens", `{"prompt":"sum up","maxTokens":1000000}`, &hosttest.LLM{}, `{"status":"error","error":"max_tokens 100001 not in 1..100000"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, func(o *Options) {
					if tt.llm != nil {
						o.LLM = tt.llm
					}
				})
				b.usage.read = wallOnly
				out, err := b.localGuest(t, "llm", foreign(t, "extism-llm")).Run(t.Context(), content(tt.request))
				if err != nil || string(out.Bytes) != tt.want || out.Provisional != tt.provisional {
					t.Errorf("got  %s, provisional %v, %v\nwant %s", out.Bytes, out.Provisional, err, tt.want)
				}
			})
		})
	}
}

// TestForeignRoles verifies that a role runs the export of its name, with _ for -.
func TestForeignRoles(t *testing.T) {
	file, err := module.WithManifest(foreign(t, "extism-roles"), []byte(`{"name":"m","abi":"1.0","roles":[{"name":"first-role","kind":"stage"},{"name":"second","kind":"stage"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := newBench(t, nil).Load(t.Context(), "m", file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, want := range map[string]string{"first-role": "returned 1, want 0", "second": "returned 2, want 0"} {
		g, err := m.Guest(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Run(t.Context(), content("text")); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestConcurrentForeignCalls verifies that calls of one module run concurrently, and end
// before Close returns.
func TestConcurrentForeignCalls(t *testing.T) {
	b := newBench(t, nil)
	for _, file := range []string{"extism-upper", "wasi-upper"} {
		m, err := b.Load(t.Context(), "upper", foreign(t, file), false)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Guest("upper")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		for i := range 16 {
			go func() {
				in := strings.Repeat("abc", 1000+i)
				out, err := g.Run(t.Context(), content(in))
				if err == nil && string(out.Bytes) != strings.ToUpper(in) {
					err = fmt.Errorf("%d bytes of another call", len(out.Bytes))
				}
				done <- err
			}()
		}
		for range 16 {
			if err := <-done; err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		m.Close()
		if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("%s: a call of a closed module: %v", file, err)
		}
	}
}

// BenchmarkForeign measures calls that return their input, for each format.
func BenchmarkForeign(b *testing.B) {
	bench := newBench(b, nil)
	native := &script{}
	native.call("out_span", 0, 0, -1)
	guests := map[string]Guest{
		"extism": bench.localGuest(b, "extism", foreign(b, "extism-same")),
		"wasi":   bench.localGuest(b, "wasi", foreign(b, "wasi-same")),
		"native": bench.localGuest(b, "script", native.wasm()),
	}
	for _, size := range []int{1 << 10, 128 << 10} {
		c := content(strings.Repeat("0123456789abcde\n", size/16))
		for format, g := range guests {
			b.Run(fmt.Sprintf("%s/%dKiB", format, size>>10), func(b *testing.B) {
				for b.Loop() {
					if _, err := g.Run(b.Context(), c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
