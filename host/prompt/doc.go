// Package prompt is the prompts of a project as sessions see them: the Index that
// a controller reads, with a summary and chapters for each; the links to resources
// of other projects' servers, with their health; and what models propose.
//
// Summary and chapters are what the author wrote, else what an LLM made of the
// content in the background (Summaries), else what rules find in it at once
// (Outline). A prompt's own file is never edited.
//
// It starts nothing and reads no files: the host hands in objects, an LLM, a place
// to keep what was made, and how a resource is read.
package prompt
