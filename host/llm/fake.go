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

// fake is no LLM: it answers by a script, in the protocol of chat completions and
// without a network, so that its faults take the way of real ones. All waiting is
// by timers.
type fake struct {
	mu      sync.Mutex
	answers []llmconfig.Answer
	used    []int
}

func newFake(answers []llmconfig.Answer) *fake {
	return &fake{answers: answers, used: make([]int, len(answers))}
}

// fakeAt is the provider as openAI needs it.
func fakeAt(p llmconfig.Provider) llmconfig.Provider {
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
	rule := f.rule(text.String())
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
	return respond(r, rule), nil
}

// rule is the first that matches and is not used up; none is an echo.
func (f *fake) rule(text string) llmconfig.Answer {
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

// echo says that it is a fake, and shows the end of what it was asked.
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

// respond makes the reply of a rule, whole or with its fault.
func respond(r *http.Request, rule llmconfig.Answer) *http.Response {
	finish, text := "stop", rule.Answer
	switch rule.Fault {
	case "429", "500":
		return refusal(r, rule)
	case "html":
		return response(r, http.StatusOK, "text/html", []byte("<!doctype html><title>fake</title>"), nil)
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
		return response(r, http.StatusOK, "application/json", body[:len(body)/2], io.ErrUnexpectedEOF)
	}
	return response(r, http.StatusOK, "application/json", body, nil)
}

func refusal(r *http.Request, rule llmconfig.Answer) *http.Response {
	code, err := strconv.Atoi(rule.Fault)
	if err != nil {
		code = http.StatusInternalServerError // not reached: the script was read strictly
	}
	resp := response(r, code, "application/json", []byte(`{"error":{"message":"fake"}}`), nil)
	if rule.RetryAfter > 0 {
		resp.Header.Set("Retry-After", fmt.Sprint(int(time.Duration(rule.RetryAfter).Seconds())))
	}
	return resp
}

// response is a reply whose body ends with an error, if there is one.
func response(r *http.Request, code int, contentType string, body []byte, end error) *http.Response {
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
