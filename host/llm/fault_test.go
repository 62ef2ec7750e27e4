package llm

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// faults are the failures of a server, with the expected errors.
var faults = []struct {
	name    string
	answer  func(w http.ResponseWriter, r *http.Request)
	json    bool
	timeout string
	kind    string // of the error
	text    string
	asked   int32
}{
	{name: "too many requests", kind: "unavailable", text: "429 Too Many Requests", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
	{name: "server error", kind: "unavailable", text: "500 Internal Server Error", asked: maxAttempts,
		answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }},
	{name: "wrong key", kind: "upstream", text: "401 Unauthorized", asked: 1,
		answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte("no such key: " + r.Header.Get("Authorization")))
		}},
	{name: "HTML page", kind: "upstream", text: "text/html", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html>"))
		}},
	{name: "HTML with the type of JSON", kind: "upstream", text: "invalid character '<'", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("<!doctype html>"))
		}},
	{name: "half an answer", kind: "unavailable", text: "breaks off", asked: maxAttempts,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"SUMM`))
		}},
	{name: "broken connection", kind: "unavailable", text: "breaks off", asked: maxAttempts,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"choices":[{`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
	{name: "hang", kind: "timeout", text: "no answer in time", asked: 1, timeout: "50ms",
		answer: func(_ http.ResponseWriter, r *http.Request) { _ = read(r); <-r.Context().Done() }},
	{name: "hang after the headers", kind: "timeout", text: "no answer in time", asked: 1, timeout: "50ms",
		answer: func(w http.ResponseWriter, r *http.Request) {
			_ = read(r)
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
	{name: "endless stream", kind: "upstream", text: "text/event-stream", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := w.Write([]byte("data: {}\n\n")); err != nil {
					return
				}
			}
		}},
	{name: "redirect to a metadata address", kind: "upstream", text: "302", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(http.StatusFound)
		}},
	{name: "endless body", kind: "upstream", text: "over 1048576 bytes", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"finish_reason":"stop","message":{"content":"`))
			for chunk := []byte(strings.Repeat("x", 64<<10)); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}},
	{name: "answer over 64 KiB", kind: "upstream", text: "limit 65536", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) { chat(w, strings.Repeat("x", 70_000)) }},
	{name: "redirect to another host", kind: "upstream", text: "307", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.invalid/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
	{name: "not UTF-8", kind: "upstream", text: "not UTF-8", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"` + "\xff\xfe" + `"},"finish_reason":"stop"}]}`))
		}},
	{name: "no choices", kind: "upstream", text: "no choices", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[]}`))
		}},
	{name: "another structure", kind: "upstream", text: "protocol: choices is of type string", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":"none"}`))
		}},
	{name: "not an object", kind: "upstream", text: "the answer is of type array, want a JSON object", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`[1]`))
		}},
	{name: "empty", kind: "upstream", text: "empty", asked: 2, answer: func(w http.ResponseWriter, _ *http.Request) { chat(w, "  ") }},
	{name: "stopped by a filter", kind: "upstream", text: "content_filter", asked: 1,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"I"},"finish_reason":"content_filter"}]}`))
		}},
	{name: "prose instead of JSON", kind: "upstream", text: "not the JSON", asked: 2, json: true,
		answer: func(w http.ResponseWriter, _ *http.Request) { chat(w, "Sure! Here is your JSON:") }},
	{name: "answer that contains the key", kind: "upstream", text: "repeats the provider's key", asked: 1,
		answer: func(w http.ResponseWriter, r *http.Request) { chat(w, "you are "+r.Header.Get("Authorization")) }},
	{name: "error that contains the key in every spelling", kind: "unavailable", text: "503", asked: maxAttempts,
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			for _, s := range spellings(canary) {
				_, _ = w.Write([]byte(s + " "))
			}
			_, _ = w.Write([]byte(strings.Repeat(canary, 1000)))
		}},
}

// Each failure of an LLM becomes an error with a kind that the guest can handle, in one
// line with the name of the provider. No answer is stored, and the key is not shown.
func TestFaultsOfServers(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); c.answer(w, r) })
			r := open(t, served(s, "timeout: "+max(c.timeout, "20s")))
			q := ask("the text")
			q.JSON = c.json
			_, err := r.get(t.Context(), q)
			if kindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), `LLM provider "o": `) {
				t.Errorf("got %s: %v\nwant %s: ...%s", kindOf(err), err, c.kind, c.text)
			}
			if got := asked.Load(); got != c.asked && (c.timeout == "" || got > c.asked) { // otherwise it may end before the server has started
				t.Errorf("%d requests, want %d", got, c.asked)
			}
			if kept := r.store.texts(); len(kept) > 0 {
				t.Errorf("stored %q", kept)
			}
			if text := err.Error(); len(text) > maxText+len(`LLM provider "o": `) || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("%d bytes: %q", len(text), text)
			}
			_ = r.Close()
			st := r.Providers()[0]
			for _, place := range []string{err.Error(), r.log.String(), st.State, st.LastError, r.Resolution("home")} {
				noCanary(t, place)
			}
			if st.Requests != 1 || st.Errors != 1 || st.LastError == "" || !strings.HasPrefix(st.State, "failed: ") {
				t.Errorf("figures %+v", st)
			}
		})
	}
}

// noCanary fails the test if text contains the key, or a part of it that would help
// to guess it.
func noCanary(t *testing.T, text string) {
	t.Helper()
	all := append(spellings(canary), canary[:12], base64.StdEncoding.EncodeToString([]byte(canary))[:12])
	if i := slices.IndexFunc(all, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		t.Errorf("the key is in %q", text)
	}
}

// A valid answer is returned completely, with its token counts, and is stored.
func TestValidAnswer(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := read(r)
		if r.Header.Get("Authorization") != "Bearer "+canary || r.URL.Path != "/v1/chat/completions" || strings.Contains(body, "canary") {
			t.Errorf("%s with %q", r.URL, r.Header)
		}
		const want = `{"max_tokens":100,"messages":[{"role":"system","content":"Sum up."},{"role":"user","content":"the text"}],"model":"m","stream":false,"temperature":0}`
		if body != want {
			t.Errorf("sent\n%s\nwant\n%s", body, want)
		}
		chat(w, " a summary\n")
	})
	r := open(t, served(s))
	q := ask("the text")
	if n, err := r.Available("home", abi.TierFast); n != 4 || err != nil {
		t.Errorf("available %d, %v", n, err)
	}
	if _, ok := r.Stored(q); ok {
		t.Error("stored before the request")
	}
	a, err := r.get(t.Context(), q)
	if err != nil || string(a.Text) != "a summary" || a.Cut {
		t.Fatalf("%q, cut %v, %v", a.Text, a.Cut, err)
	}
	if a, ok := r.Stored(q); !ok || string(a.Text) != "a summary" {
		t.Errorf("stored %q, %v", a.Text, ok)
	}
	if st := r.Providers()[0]; st.State != "ready" || st.Requests != 1 || st.Errors != 0 || st.TokensIn != 11 || st.TokensOut != 7 {
		t.Errorf("status %+v", st)
	}
}

// Requests follow the protocol of the provider, also for Anthropic and for models
// with the new token field.
func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		name, section, path, body, reply, text string
		cut                                    bool
	}{
		{"messages", `{name: a, type: anthropic, model: m, apiKey: "${KEY}", baseURL: "ADDRESS"}`, "/v1/messages",
			`{"max_tokens":100,"messages":[{"role":"user","content":"the text"}],"model":"m","system":"Sum up.","temperature":0}`,
			`{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a "},{"type":"text","text":"summary"}],"stop_reason":"end_turn"}`, "a summary", false},
		{"messages, cut", `{name: a, type: anthropic, model: m, baseURL: "ADDRESS"}`, "/v1/messages",
			`{"max_tokens":100,"messages":[{"role":"user","content":"the text"}],"model":"m","system":"Sum up.","temperature":0}`,
			`{"content":[{"type":"text","text":"a summ"}],"stop_reason":"max_tokens"}`, "a summ", true},
		{"a model with the new token field", `{name: o, type: openai, model: m, baseURL: "ADDRESS", tokenField: max_completion_tokens}`, "/chat/completions",
			`{"max_completion_tokens":100,"messages":[{"role":"system","content":"Sum up."},{"role":"user","content":"the text"}],"model":"m","stream":false}`,
			`{"choices":[{"message":{"content":"a summ"},"finish_reason":"length"}]}`, "a summ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if body := read(r); r.URL.Path != c.path || body != c.body {
					t.Errorf("%s sent\n%s\nwant %s\n%s", r.URL.Path, body, c.path, c.body)
				}
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				_, _ = w.Write([]byte(c.reply))
			})
			r := open(t, "llm:\n  providers:\n  - "+strings.Replace(c.section, "ADDRESS", s.URL, 1))
			q := ask("the text")
			a, err := r.get(t.Context(), q)
			if err != nil || string(a.Text) != c.text || a.Cut != c.cut {
				t.Errorf("%q, cut %v, %v", a.Text, a.Cut, err)
			}
			if _, ok := r.Stored(q); ok == c.cut {
				t.Errorf("stored %v, cut %v: only complete answers are stored", ok, c.cut)
			}
		})
	}
}

// Redirects and names cannot lead to addresses at which clouds keep credentials.
func TestLinkLocalAddressesAreRejected(t *testing.T) {
	for _, address := range []string{"169.254.169.254:80", "[fe80::1]:80", "[fd00:ec2::254]:80", "[::ffff:169.254.169.254]:80",
		"[64:ff9b::a9fe:a9fe]:80", "[fd00:ec2::254%eth0]:80", "100.100.100.200:80", "192.0.0.192:80", "168.63.129.16:32526"} {
		if err := refuseLinkLocal("tcp", address, nil); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	for _, address := range []string{"127.0.0.1:11434", "[::1]:11434", "10.0.0.7:8000", "[64:ff9b::808:808]:443"} {
		if err := refuseLinkLocal("tcp", address, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestRetryAfterIsBounded(t *testing.T) {
	for s, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "99999999": maxRetryAfter,
		"Wed, 21 Oct 2015 07:28:00 GMT": 0} {
		if got := retryAfter(s); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
}

// JSON in a Markdown fence is accepted; JSON inside of other text is not.
func TestAcceptedJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, "```json\n{\"a\":1}\n```": `{"a":1}`, "```\n[1]\n```": "[1]",
		"```yaml\na: 1\n```": "", "Here: {\"a\":1}": "", `{"a":1} {"b":2}`: "", "```json\n{}": "",
	} {
		if got, err := accept(reply{Text: text}, true, nil); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is accepted as %q, %v", text, got, err)
		}
	}
}
