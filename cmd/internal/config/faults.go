package config

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// faults collects the errors of the settings in order.
type faults []*problem.Problem

// add appends an error, or the errors that it consists of. It ignores nil.
func (f *faults) add(err error) {
	if err == nil {
		return
	}
	if p := problem.From(err); len(p.Errors) > 0 {
		*f = append(*f, p.Errors...)
	} else {
		*f = append(*f, p)
	}
}

// err returns all errors as one, or nil.
func (f faults) err() error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return f[0]
	}
	p := problem.New(abi.ErrConfig, "%s: %d errors", File, len(f))
	p.Errors = f
	return p
}
