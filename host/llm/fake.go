package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// fake simulates an LLM with a script. It implements chat completions without a network,
// so that simulated faults are handled like real ones. It waits only with timers.
type fake struct {
	mu      sync.Mutex
	answers []llmconfig.Answer
	used    []int
}

func newFake(answers []llmconfig.Answer) *fake {
	return &fake{answers: answers, used: make([]int, len(answers))}
}

// fakeSettings returns the provider with the fields that openAI needs.
func fakeSettings(p llmconfig.Provider) llmconfig.Provider {
	p.BaseURL, p.TokenField = "http://fake.invalid", llmconfig.TokenFieldOld
	return p
}

// RoundTrip implements http.RoundTripper.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var asked struct{ Messages []chatMessage }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, m := range asked.Messages {
		text.WriteString(m.Content + "\n")
	}
	rule := f.nextRule(text.String())
	if rule.Fault == "hang" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if err := sleep(r.Context(), time.Duration(rule.Latency)); err != nil {
		return nil, err
	}
	if rule.Answer == "" {
		rule.Answer = echo(asked.Messages)
	}
	return newResponse(r, rule), nil
}

// nextRule returns the first rule that matches and is not used up, or an empty rule.
func (f *fake) nextRule(text string) llmconfig.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range f.answers {
		if strings.Contains(text, a.Match) && (a.Times == 0 || f.used[i] < a.Times) {
			f.used[i]++
			return a
		}
	}
	return llmconfig.Answer{}
}

// echo returns a text that names the fake and repeats the end of the prompt.
func echo(messages []chatMessage) string {
	text := ""
	if n := len(messages); n > 0 {
		text = strings.TrimSpace(messages[n-1].Content)
	}
	const most = 200
	if len(text) > most {
		text = "..." + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return "fake: " + text
}

// newResponse returns the response for a rule, with its fault if it has one.
func newResponse(r *http.Request, rule llmconfig.Answer) *http.Response {
	finish, text := "stop", rule.Answer
	switch rule.Fault {
	case "429", "500":
		return newErrorResponse(r, rule)
	case "html":
		return httpResponse(r, http.StatusOK, "text/html", []byte("<!doctype html><title>fake</title>"), nil)
	case "prose":
		text = "Sure! Here is your JSON:"
	case "empty":
		text = ""
	case "cut":
		finish = "length"
	}
	body, _ := json.Marshal(map[string]any{ // strings always encode
		"model":   llmconfig.Fake,
		"choices": []any{map[string]any{"message": chatMessage{"assistant", text}, "finish_reason": finish}},
		"usage":   map[string]int{"completion_tokens": estimate(text)},
	})
	if rule.Fault == "half" {
		return httpResponse(r, http.StatusOK, "application/json", body[:len(body)/2], io.ErrUnexpectedEOF)
	}
	return httpResponse(r, http.StatusOK, "application/json", body, nil)
}

func newErrorResponse(r *http.Request, rule llmconfig.Answer) *http.Response {
	code, err := strconv.Atoi(rule.Fault)
	if err != nil {
		code = http.StatusInternalServerError // cannot happen, because the script was validated
	}
	resp := httpResponse(r, code, "application/json", []byte(`{"error":{"message":"fake"}}`), nil)
	if rule.RetryAfter > 0 {
		resp.Header.Set("Retry-After", fmt.Sprint(int(time.Duration(rule.RetryAfter).Seconds())))
	}
	return resp
}

// httpResponse returns a response. If end is set, reading its body ends with that error.
func httpResponse(r *http.Request, code int, contentType string, body []byte, end error) *http.Response {
	var b io.Reader = bytes.NewReader(body)
	if end != nil {
		b = io.MultiReader(b, failing{end})
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(b), ContentLength: -1, Request: r,
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
