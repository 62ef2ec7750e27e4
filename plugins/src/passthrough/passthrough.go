// Package passthrough lets content through unchanged. It is what a ProxyModel
// names to say that nothing is meant to happen.
package passthrough

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() { stage.Register("passthrough", run) }

func run(*stage.Ctx) error { return stage.Pass }
