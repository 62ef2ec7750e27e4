// Package pipeline takes one Content through filters and stages, in order, with
// a cache round each.
//
// A [Pipeline] is made once. For each Content the host calls [Pipeline.Filter]
// before it stores the original that readers will see, and [Pipeline.Run] after.
// What goes wrong with a step never goes wrong for the client: the step's policy
// says whether the Content goes on as it was, is withheld, or gives way to a
// placeholder. Values go up as results; what is finished later arrives on
// [Pipeline.Updates].
//
// It knows no MCP method, no module format and no cache file: a step brings its
// [Runner], the cache is an interface.
package pipeline
