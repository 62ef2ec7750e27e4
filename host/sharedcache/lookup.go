package sharedcache

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Stored is a result in the shared cache.
type Stored struct {
	Value      []byte
	ModuleHash string
	Producer   string // "user NAME" or "serviceaccount NAME"
}

// Lookup returns the results of a ProxyModel that mcpd gives to this user, by key. It is for
// checks: unlike Find it has no limits, and Figures do not count it.
//
// Errors: abi.ErrUnavailable if mcpd is not followed; those of Caller.Call.
func (c *Cache) Lookup(ctx context.Context, project, model string, keys [][32]byte) (map[[32]byte]Stored, error) {
	l, ok := c.opts.Team()
	if !ok {
		return nil, fmt.Errorf("%w: the team server is not followed, see mcpctl status", abi.ErrUnavailable)
	}
	found := make(map[[32]byte]Stored)
	for batch := range slices.Chunk(keys, maxKeys) {
		entries, err := post(ctx, l, project, model, batch)
		if err != nil {
			return nil, err
		}
		for key, e := range entries {
			found[key] = Stored{e.Value, e.ModuleHash, printable(e.Producer)}
		}
	}
	return found, nil
}
