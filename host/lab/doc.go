// Package lab runs and checks the modules and proxymodels of authors.
//
// A Lab works in an open home: it runs a stage or a proxymodel over one input, validates
// proxymodels and checks objects before they are applied. A Trial needs no home: it runs
// the roles of one module in the runtime of the host, with a scripted LLM, an in-memory
// cache and the config that a test sets, and checks the laws that every stage keeps. Pack
// adds a manifest to a module.
//
// The package does not know the files that tests are written in.
package lab
