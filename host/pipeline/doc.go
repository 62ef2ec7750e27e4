// Package pipeline runs one Content through filters and stages, in order, and
// caches the result of each step.
//
// For each Content the host calls [Pipeline.Filter] before it stores the original,
// and [Pipeline.Run] after. A failing step never fails the request: the policy of
// the step passes the Content on unchanged, withholds it, or replaces it by a
// placeholder. Methods return their results; later results for the same Content
// arrive on [Pipeline.Updates].
//
// The package knows no MCP method, no module format and no cache file. Each step
// has a [Runner], and [Cache] is an interface.
package pipeline
