// Package prompt provides the prompts of projects to sessions: the Index that
// controllers read, the links to resources of other projects' servers with their
// status, and the proposals of models.
//
// Summary and chapters of a prompt are those of its author; else those that an LLM
// generated in the background (Summaries); else those extracted from the text
// (OutlineOf). The file of a prompt is never changed.
//
// The package does not read files or start servers: its caller provides Objects, an
// LLM, a store for generated summaries, and a function to read resources.
package prompt
