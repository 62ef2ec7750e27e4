package api

import (
	"context"
	"net/http"
)

// LLMProvider is a provider of LLM answers, with its statistics since it was configured.
type LLMProvider struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"` // openai, anthropic, gemini-cli, managed; fake: scripted answers without an LLM
	Model     string   `json:"model,omitempty"`
	Tiers     []string `json:"tiers"` // fast, heavy
	State     string   `json:"state"` // idle, ready, cold, warming, "failed: REASON" with the time of the next attempt; "not running" without a daemon
	Requests  int64    `json:"requests"`
	Errors    int64    `json:"errors"` // requests without an answer
	TokensIn  int64    `json:"tokensIn"`
	TokensOut int64    `json:"tokensOut"`
	Seconds   float64  `json:"seconds"`
	LastError string   `json:"lastError,omitempty"` // empty if the last request was answered
	LastLine  string   `json:"lastLine,omitempty"`  // last line of output of a managed server

	// DailyTokens is the limit of tokens of one module in one project and day (UTC), for
	// all providers together; 0: no limit.
	DailyTokens int        `json:"dailyTokens"`
	Spent       []LLMSpent `json:"spent,omitempty"` // today, in projects that use this provider; largest first
}

// LLMSpent is the number of tokens that one module has used in one project.
type LLMSpent struct {
	Project string `json:"project"`
	Module  string `json:"module"`       // hash, or the package that sends the requests
	By      string `json:"by,omitempty"` // display name of the module
	Tokens  int    `json:"tokens"`
}

// LLMResolution lists the providers that answer the LLM requests of a project.
type LLMResolution struct {
	Project string   `json:"project"`
	Source  string   `json:"source"` // llmProvider of the project, or the tiers of the settings
	Fast    []string `json:"fast"`   // providers in the order in which they are tried; empty: no LLM
	Heavy   []string `json:"heavy"`
}

func (h handler) llmProviders(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.LLMProviders(r.Context())
	writeAnswer(w, v, err)
}

func (h handler) resolveLLM(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.ResolveLLM(r.Context(), r.PathValue("name"))
	writeAnswer(w, v, err)
}

// LLMProviders implements Service.
func (c *Client) LLMProviders(ctx context.Context) (p []LLMProvider, err error) {
	return p, c.call(ctx, http.MethodGet, "/llmproviders", nil, nil, &p)
}

// ResolveLLM implements Service.
func (c *Client) ResolveLLM(ctx context.Context, project string) (r LLMResolution, err error) {
	return r, c.call(ctx, http.MethodGet, objectPath("project", project)+"/llm", nil, nil, &r)
}
