package flow

import "github.com/mcpctl/mcpctl/abi"

// SharedRun describes a run of a stage whose result the machines of a team may share.
type SharedRun struct {
	Key     [32]byte // its cache key
	By      Producer
	Model   string          // the ProxyModel
	Type    abi.ContentType // of the content
	Source  string          // of the content, as in Content
	LLM     bool            // the role may use an LLM
	InBytes int             // size of its input
	// Login is the login on the team server when the run began, "" if it was not followed. Its
	// result is shared by this login only. Shared.Find of the pipeline sets it.
	Login string
}
