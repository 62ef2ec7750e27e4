// Package e2e tests the built programs with real clients and servers: the official
// conformance suite, the public npm servers with the TypeScript SDK and the inspector CLI,
// and headless Claude Code with a scripted API.
//
// The tests need npm and the build tag e2e; make test-all runs them. They install packages
// in .cache/e2e once.
package e2e
