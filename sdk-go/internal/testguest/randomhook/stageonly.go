package randomhook

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// stageOnly returns the error that a controller gets for a function of stages.
func stageOnly() error {
	if err := entry.Check(raw.SectionAdd(-1, raw.BufInput, 0, 1, "x")); err == nil {
		return nil
	}
	if err := entry.Check(raw.SectionText(0, 0)); err == nil {
		return nil
	}
	return entry.Check(raw.OutIndex(-1, 0, 0))
}
