// Package passthrough lets content through unchanged. A ProxyModel names it to state
// that nothing should happen.
package passthrough

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() { stage.Register("passthrough", run) }

func run(*stage.Ctx) error { return stage.Pass }
