package api

import (
	"context"
	"net/http"
)

// LLMProvider is one provider of LLM answers, and what it did since it was
// configured.
type LLMProvider struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"` // openai, anthropic, gemini-cli, managed; fake: no LLM, answers by a script
	Model     string   `json:"model,omitempty"`
	Tiers     []string `json:"tiers"` // fast, heavy
	State     string   `json:"state"` // idle, ready, cold, warming, failed: why (it says when it is asked again); without a daemon not running
	Requests  int64    `json:"requests"`
	Errors    int64    `json:"errors"` // requests without an answer
	TokensIn  int64    `json:"tokensIn"`
	TokensOut int64    `json:"tokensOut"`
	Seconds   float64  `json:"seconds"`
	LastError string   `json:"lastError,omitempty"` // none if the last request was answered
	LastLine  string   `json:"lastLine,omitempty"`  // that a managed server wrote

	// DailyTokens is what one module may spend in one project in a day (UTC), with
	// all providers together; 0: no bound.
	DailyTokens int        `json:"dailyTokens"`
	Spent       []LLMSpent `json:"spent,omitempty"` // today, in projects that ask this provider; most first
}

// LLMSpent is what one module has spent of its budget in one project.
type LLMSpent struct {
	Project string `json:"project"`
	Module  string `json:"module"`       // hash, or the part of the program that asks
	By      string `json:"by,omitempty"` // the module as people know it
	Tokens  int    `json:"tokens"`
}

// LLMResolution says who answers the LLM requests of a project.
type LLMResolution struct {
	Project string   `json:"project"`
	Source  string   `json:"source"` // what decides: llmProvider of the project, or the tiers of the settings
	Fast    []string `json:"fast"`   // providers in the order they are asked; none: no LLM
	Heavy   []string `json:"heavy"`
}

func (h handler) llmProviders(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.LLMProviders(r.Context())
	answer(w, v, err)
}

func (h handler) resolveLLM(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.ResolveLLM(r.Context(), r.PathValue("name"))
	answer(w, v, err)
}

// LLMProviders implements Service.
func (c *Client) LLMProviders(ctx context.Context) (p []LLMProvider, err error) {
	return p, c.call(ctx, http.MethodGet, "/llmproviders", nil, nil, &p)
}

// ResolveLLM implements Service.
func (c *Client) ResolveLLM(ctx context.Context, project string) (r LLMResolution, err error) {
	return r, c.call(ctx, http.MethodGet, objectPath("project", project)+"/llm", nil, nil, &r)
}
