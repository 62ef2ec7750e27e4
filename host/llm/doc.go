// Package llm sends requests to LLMs for the projects. It selects the provider (in
// tiers), limits requests (slots, rates, budgets), handles failures (retry, breaker, the
// next provider), and merges equal requests.
//
// A [Layer] implements the LLM interface of package wasm. Its settings come from package
// llmconfig and can change while it runs. It sends requests over HTTP (chat completions,
// messages), by running a program, or, for tests and demonstrations, to a script that
// simulates an LLM.
//
// It does not keep conversations, does not stream and does not give tools to models: a
// request is a text, and an answer is a text. Only complete answers are stored.
package llm
