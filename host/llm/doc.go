// Package llm asks LLMs on behalf of projects: who answers (providers in tiers),
// how often and how much (slots, rates, budgets), what becomes of faults (retry,
// breaker, the next provider), and that equal requests are one.
//
// A [Layer] implements what package wasm asks for. Its settings are the llm
// section of the home and change while it runs. Providers are asked over HTTP
// (chat completions, messages), by running a program, or, for tests and
// demonstrations, by a script that is no LLM and says so.
//
// It keeps no conversation, streams nothing and gives no model tools: a request
// is a text, an answer is a text. Only complete answers are stored.
package llm
