package pool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// probeTick is the interval at which a probe checks for a failure of the server.
const probeTick = 50 * time.Millisecond

// Probe starts a server for a project, or "", lists its tools and ends it. The start may take the server's
// own timeout, and the list the same time again. The outcome replaces the last failure
// of the server.
//
// Errors: abi.ErrNotFound for an unknown server; otherwise the reason why it does not
// start or does not list its tools, with a line of its standard error.
func (p *Pool) Probe(ctx context.Context, name, project string) (tools []string, err error) {
	cfg, err := p.Config(name, project, "")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*cmp.Or(cfg.Timeout, object.DefaultTimeout)) // the Client limits the start to half of it
	defer cancel()
	client, err := upstream.Start(ctx, cfg, &sharedServer{})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err = awaitFirstStart(ctx, client); err == nil {
		tools, err = listTools(ctx, client, cmp.Or(cfg.FrameBytes, jsonrpc.DefaultFrameBytes))
	}
	state, err := client.State(), client.CleanError(err)
	p.noteEnd(name, state)
	if err != nil && state.Error == "" && !errors.Is(err, abi.ErrLimit) { // ready, but its tools could not be listed
		p.setFailure(name, Failure{err.Error(), lastLines(state.Stderr)})
	}
	return tools, explainProbeError(cfg, state, err)
}

// awaitFirstStart waits until a server is ready or has failed once. Without it a Client
// would restart the server again and again.
func awaitFirstStart(ctx context.Context, client *upstream.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan error, 1) // buffered: the goroutine ends even if the result is not read
	go func() { ready <- client.Ready(ctx) }()
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	for {
		select {
		case err := <-ready:
			return err
		case <-tick.C:
			if s := client.State(); s.Error != "" {
				return fmt.Errorf("%w: %s", abi.ErrUnavailable, s.Error)
			}
		}
	}
}

// downloadHint is the part of an error that explains a slow start of a program.
const downloadHint = "the first start with npx or uvx downloads packages and may take longer: try again, or raise the server's timeout"

// explainProbeError adds the likely cause to an error: a slow download, or a line of the
// server's standard error.
func explainProbeError(cfg upstream.Config, s upstream.State, err error) error {
	if err == nil {
		return nil
	}
	late := s.StartTimedOut
	if errors.Is(err, context.DeadlineExceeded) {
		late = true
		err = fmt.Errorf("%w: server %q did not answer in time", abi.ErrUnavailable, cfg.Name)
		if s.Error != "" {
			err = fmt.Errorf("%w: %s", abi.ErrUnavailable, s.Error)
		}
	}
	if late && len(cfg.Command) > 0 {
		err = fmt.Errorf("%w; %s", err, downloadHint)
	}
	if line := upstream.FindErrorLine(lastLines(s.Stderr)); line != "" && !strings.Contains(err.Error(), line) {
		err = fmt.Errorf("%w; its standard error: %s", err, line)
	}
	return err
}

// listTools reads the names of all tools of a server, within the limits of a session.
func listTools(ctx context.Context, client *upstream.Client, frameBytes int) (names []string, err error) {
	var declared struct{ Tools json.RawMessage }
	if json.Unmarshal(client.Capabilities(), &declared) == nil && declared.Tools == nil {
		return nil, nil // the server has resources or prompts only
	}
	params, size := json.RawMessage("{}"), 0
	for range catalog.MaxPages {
		reply, err := client.CallRepeatable(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, err
		}
		if reply.Error != nil {
			return nil, fmt.Errorf("%w: tools/list: %s", abi.ErrUnavailable, client.Shorten(jsonrpc.ReadError(reply.Error).Error()))
		}
		size += len(reply.Result)
		if err := catalog.CheckToolsSize(size, frameBytes); err != nil {
			return nil, err
		}
		var page struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
		if err := json.Unmarshal(reply.Result, &page); err != nil {
			return nil, fmt.Errorf("%w: tools/list did not return a list: %v", abi.ErrUnavailable, err)
		}
		for _, t := range page.Tools {
			names = append(names, t.Name)
		}
		if page.NextCursor == "" {
			return names, nil
		}
		if params, err = json.Marshal(map[string]string{"cursor": page.NextCursor}); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: its list of tools has more than %d pages: only the first %d are listed", abi.ErrLimit, catalog.MaxPages, len(names))
}
