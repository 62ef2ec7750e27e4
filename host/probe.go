package host

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
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// probeTick is how often a probe looks whether the server has failed.
const probeTick = 50 * time.Millisecond

// ProbeServer starts a server, lists its tools and ends it. It works offline too. The
// start may take the server's own timeout, and the list as long again; a failed start
// is reported like that of a session.
//
// Errors: abi.ErrNotFound for an unknown server; why it cannot be started or does not
// list its tools, with a line of its standard error.
func (h *Host) ProbeServer(ctx context.Context, name string) (tools []string, err error) {
	if _, ok := h.Snapshot().Server(object.Name(name)); !ok {
		return nil, fmt.Errorf("%w: server %q not found", abi.ErrNotFound, name)
	}
	cfg, err := h.pool.config(name, "")
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
	if err = awaitFirst(ctx, client); err == nil {
		tools, err = listTools(ctx, client, cmp.Or(cfg.FrameBytes, jsonrpc.DefaultFrameBytes))
	}
	state, err := client.State(), client.CleanError(err)
	h.noteProbe(name, state, err)
	return tools, probeError(cfg, state, err)
}

// noteProbe makes the result of a probe the last known state of a server.
func (h *Host) noteProbe(name string, s upstream.State, err error) {
	h.pool.leave(name, s)
	if err == nil {
		h.endpoint.ForgetFaults(name)
	} else if s.Error == "" && !errors.Is(err, abi.ErrLimit) { // ready, but its tools could not be listed
		h.pool.fail(name, ServerFailure{err.Error(), lastLines(s.Stderr)})
	}
}

// awaitFirst waits until a server is ready or has failed once. A Client would start it
// again and again.
func awaitFirst(ctx context.Context, client *upstream.Client) error {
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

// probeError adds the likely cause to an error: a download that takes long, or a line of
// the server's standard error.
func probeError(cfg upstream.Config, s upstream.State, err error) error {
	if err == nil {
		return nil
	}
	late := s.StartTimedOut
	if errors.Is(err, context.DeadlineExceeded) {
		late = true
		err = fmt.Errorf("%w: server %q gave no answer in time", abi.ErrUnavailable, cfg.Name)
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
		return nil, nil // it offers resources or prompts alone
	}
	params, size := json.RawMessage("{}"), 0
	for range proxy.MaxPages {
		reply, err := client.CallRepeatable(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, err
		}
		if reply.Error != nil {
			return nil, fmt.Errorf("%w: tools/list: %s", abi.ErrUnavailable, client.Shorten(jsonrpc.ReadError(reply.Error).Error()))
		}
		size += len(reply.Result)
		if err := proxy.CheckToolsSize(size, frameBytes); err != nil {
			return nil, err
		}
		var page struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
		if err := json.Unmarshal(reply.Result, &page); err != nil {
			return nil, fmt.Errorf("%w: tools/list is answered with no list: %v", abi.ErrUnavailable, err)
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
	return nil, fmt.Errorf("%w: its list of tools has more than %d pages: only the first %d are listed", abi.ErrLimit, proxy.MaxPages, len(names))
}

// ProbeLLM sends one short request to a provider. A provider that mcpctl starts itself
// is not started.
//
// Errors: abi.ErrNotFound for an unknown provider; why it does not answer.
func (h *Host) ProbeLLM(ctx context.Context, name string) error { return h.llm.Probe(ctx, name) }

// RenamedTool is a tool whose name in a project ends in a hash.
type RenamedTool = proxy.RenamedTool

// RenamedTools lists the tools of a project whose names are too long for clients, or
// equal to that of another tool. tools are names of tools by server.
func RenamedTools(project string, bare bool, servers []string, tools map[string][]string) []RenamedTool {
	return proxy.RenamedTools(project, bare, servers, tools)
}

// WireName returns the name of a tool of a server in a new session of a project, as
// clients show it. For an empty tool it returns the common prefix of the names of the server's
// tools.
func WireName(project string, bare bool, server, tool string) string {
	return proxy.WireName(project, bare, server, tool)
}
