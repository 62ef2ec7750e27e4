package transform

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/pipeline"
)

// arguments returns the arguments of the call as the stages of a request may read them:
// without credentials and the secrets of servers, and after the filters. It returns nil if
// there are none, if no stage reads them, or if they cannot be checked. ok is false in the
// last case if it may be different for the next call.
func (t *Transformer) arguments(ctx context.Context, req pipeline.Request) (arguments []byte, ok bool) {
	c := &req.Content
	reads := slices.ContainsFunc(req.Steps, func(s pipeline.Step) bool { return s.Role.ReadsArguments() })
	if !reads || len(c.Arguments) == 0 || len(c.Arguments) > abi.LimitArgumentsBytes {
		return nil, true
	}
	var clean func(string) string
	if t.Cleaner != nil {
		clean = t.Cleaner()
	}
	arguments, _, err := credential.MaskJSON(c.Arguments, clean)
	if err != nil {
		return nil, true
	}
	req.Content = flow.Content{Type: c.Type, Source: c.Source, Part: abi.Part{Kind: abi.PartStructured, Count: 1}, Bytes: arguments}
	req.Hash = nil
	res, err := t.Pipeline.Filter(ctx, withMinimalEscapes(req))
	if err != nil || res.Blocked != "" || slices.ContainsFunc(res.Report, isFailed) {
		return nil, false
	}
	if len(res.Bytes) > abi.LimitArgumentsBytes || jsonspan.Valid(res.Bytes) != nil || jsonspan.KindAt(res.Bytes, jsonspan.SkipBlank(res.Bytes, 0)) != jsonspan.Object {
		return nil, true
	}
	return res.Bytes, true
}

// isFailed reports whether a filter failed, whatever its policy says about the content: a
// filter that passes on a content when it fails has not read the arguments.
func isFailed(r flow.StageReport) bool { return r.Outcome == flow.OutcomeFailed }
