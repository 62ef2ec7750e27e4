package llm

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// An https address is never requested without TLS, and an untrusted certificate is
// rejected.
func TestTLSIsNotOptional(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the key %q was sent", r.Header.Get("Authorization"))
	})
	plain, unknown := serve(t, answer), httptest.NewTLSServer(answer)
	defer unknown.Close()
	for _, c := range []struct{ name, address, want string }{
		{"plain HTTP", strings.Replace(plain.URL, "http:", "https:", 1), "server gave HTTP response to HTTPS client"},
		{"unknown certificate", unknown.URL, "certificate"},
	} {
		r := open(t, "llm:\n  providers: [{name: o, type: openai, model: m, apiKey: \"${KEY}\", baseURL: \""+c.address+"\"}]\n")
		if _, err := r.get(t.Context(), ask("x")); kindOf(err) != "unavailable" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// body answers every request with the same bytes.
type body []byte

func (b body) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(b)), Request: r}, nil
}

// FuzzReplies checks for any reply of each protocol that an accepted answer is text
// within its limit, and JSON if JSON was requested.
func FuzzReplies(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}`))
	f.Add([]byte("{\"response\":\"```json\\n[1]\\n```\",\"stats\":{\"models\":{\"m\":{\"tokens\":{\"prompt\":1}}}}}"))
	f.Add([]byte(`{"choices":[{"message":{"content":"\ud800"},"finish_reason":"length"}]}`))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &http.Client{Transport: body(b)}
		var p llmconfig.Provider
		for _, ask := range []func() (reply, error){
			func() (reply, error) { return newOpenAI(c, p).complete(t.Context(), request{}) },
			func() (reply, error) { return newAnthropic(c, p).complete(t.Context(), request{}) },
			func() (reply, error) { return geminiAnswer(b) },
		} {
			r, err := ask()
			for _, wantJSON := range []bool{false, true} {
				text, bad := accept(r, wantJSON, nil)
				if err != nil || bad != nil {
					continue
				}
				if text == "" || len(text) > abi.LimitLLMAnswerBytes || !utf8.ValidString(text) || wantJSON && jsonspan.Valid([]byte(text)) != nil {
					t.Errorf("%q is accepted as an answer, JSON %v", text, wantJSON)
				}
			}
			if err != nil {
				if shown := asFault(err).withProvider("p", nil).Error(); len(shown) > maxText+len(`LLM provider "p": `) || !utf8.ValidString(shown) || strings.ContainsAny(shown, "\n\r\x1b") {
					t.Errorf("%q is shown", shown)
				}
			}
		}
	})
}
