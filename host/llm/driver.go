package llm

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/secret"
)

// request is a request to a provider. Its temperature is always 0.
type request struct {
	System    string
	Prompt    string
	MaxTokens int
	Key       secret.Value
}

// reply is the answer of a provider. Tokens are as counted by the provider, or 0 if it
// does not report them.
type reply struct {
	Text    string
	Cut     bool // at MaxTokens
	In, Out int
}

// driver implements one protocol.
//
// complete returns a *fault, or the error of ctx after ctx has ended.
type driver interface {
	complete(ctx context.Context, q request) (reply, error)
}

// openAI implements chat completions, the protocol of most servers.
type openAI struct {
	client     *http.Client
	address    string // of the completions
	model      string
	tokenField string
}

func newOpenAI(c *http.Client, p llmconfig.Provider) *openAI {
	return &openAI{client: c, address: p.BaseURL + "/chat/completions", model: p.Model, tokenField: p.TokenField}
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatReply struct {
	Choices []struct {
		Message      struct{ Content *string }
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	}
}

func (o *openAI) complete(ctx context.Context, q request) (reply, error) {
	header := make(http.Header)
	if key := q.Key.Reveal(); key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	var got chatReply
	if err := post(ctx, o.client, o.address, header, o.body(q), &got); err != nil {
		return reply{}, err
	}
	if len(got.Choices) == 0 {
		return reply{}, protocolFault("the answer has no choices")
	}
	r := reply{In: got.Usage.In, Out: got.Usage.Out}
	if text := got.Choices[0].Message.Content; text != nil {
		r.Text = *text
	}
	switch why := got.Choices[0].FinishReason; why {
	case "stop", "eos_token", "stop_sequence":
	case "length":
		r.Cut = true
	default:
		return r, unusable("the answer ended for the reason %q, want stop", why)
	}
	return r, nil
}

func (o *openAI) body(q request) map[string]any {
	messages := []chatMessage{{"user", q.Prompt}}
	if q.System != "" {
		messages = []chatMessage{{"system", q.System}, {"user", q.Prompt}}
	}
	body := map[string]any{"model": o.model, "messages": messages, o.tokenField: q.MaxTokens, "stream": false}
	if o.tokenField != llmconfig.TokenFieldNew { // models with the new field do not accept a temperature
		body["temperature"] = 0
	}
	return body
}

// anthropic implements the messages protocol.
type anthropic struct {
	client  *http.Client
	address string
	model   string
}

func newAnthropic(c *http.Client, p llmconfig.Provider) *anthropic {
	base := strings.TrimSuffix(p.BaseURL, "/v1")
	return &anthropic{client: c, address: base + "/v1/messages", model: p.Model}
}

// anthropicVersion is the protocol version that is sent.
const anthropicVersion = "2023-06-01"

type messagesReply struct {
	Content    []struct{ Type, Text string }
	StopReason string `json:"stop_reason"`
	Usage      struct {
		In  int `json:"input_tokens"`
		Out int `json:"output_tokens"`
	}
}

func (a *anthropic) complete(ctx context.Context, q request) (reply, error) {
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if key := q.Key.Reveal(); key != "" {
		header.Set("X-Api-Key", key)
	}
	body := map[string]any{"model": a.model, "messages": []chatMessage{{"user", q.Prompt}}, "max_tokens": q.MaxTokens, "temperature": 0}
	if q.System != "" {
		body["system"] = q.System
	}
	var got messagesReply
	if err := post(ctx, a.client, a.address, header, body, &got); err != nil {
		return reply{}, err
	}
	r := reply{In: got.Usage.In, Out: got.Usage.Out}
	for _, block := range got.Content {
		if block.Type == "text" {
			r.Text += block.Text
		}
	}
	switch got.StopReason {
	case "end_turn", "stop_sequence":
	case "max_tokens":
		r.Cut = true
	case "":
		return r, protocolFault("the answer has no stop_reason")
	default:
		return r, unusable("the answer ended for the reason %q, want end_turn", got.StopReason)
	}
	return r, nil
}
