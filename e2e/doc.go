// Package e2e drives the built programs with real clients and real servers: the
// official conformance suite, the public npm servers behind the TypeScript SDK
// and the inspector CLI, and Claude Code headless against a scripted API.
//
// The tests need npm and are behind the build tag e2e: make test-all runs them.
// They install what they need under .cache/e2e, once.
package e2e
