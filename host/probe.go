package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// maxProbePages bounds the pages that a probe reads of a list of tools.
const maxProbePages = 100

// probeTick is how often a probe looks whether the server has failed.
const probeTick = 50 * time.Millisecond

// ProbeServer starts a server, lists its tools and ends it. It works offline too.
//
// Errors: abi.ErrNotFound for an unknown server; why it cannot be started or does not
// list its tools, with its last line of stderr.
func (h *Host) ProbeServer(ctx context.Context, name string) (tools []string, err error) {
	if _, ok := h.Snapshot().Server(object.Name(name)); !ok {
		return nil, fmt.Errorf("%w: server %q not found", abi.ErrNotFound, name)
	}
	cfg, err := h.pool.config(name, "")
	if err != nil {
		return nil, err
	}
	client, err := upstream.Start(ctx, cfg, &sharedServer{})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := awaitFirst(ctx, client); err != nil {
		return nil, probeError(name, client.State(), err)
	}
	tools, err = listTools(ctx, client)
	return tools, probeError(name, client.State(), err)
}

// awaitFirst waits until a server is ready or has failed once. A Client would start it
// again and again.
func awaitFirst(ctx context.Context, client *upstream.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- client.Ready(ctx) }()
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	for {
		select {
		case err := <-ready:
			return err
		case <-tick.C:
			if s := client.State(); s.Error != "" {
				cancel()
				<-ready
				return fmt.Errorf("%w: %s", abi.ErrUnavailable, s.Error)
			}
		}
	}
}

// probeError adds what the server wrote last to an error.
func probeError(name string, s upstream.State, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded) && s.Error != "":
		err = fmt.Errorf("%w: %s", abi.ErrUnavailable, s.Error)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w: server %q gave no answer in time", abi.ErrUnavailable, name)
	}
	if n := len(s.Stderr); n > 0 {
		return fmt.Errorf("%w; its last line: %s", err, s.Stderr[n-1])
	}
	return err
}

// listTools reads the names of all tools of a server.
func listTools(ctx context.Context, client *upstream.Client) (names []string, err error) {
	var declared struct{ Tools json.RawMessage }
	if json.Unmarshal(client.Capabilities(), &declared) == nil && declared.Tools == nil {
		return nil, nil // it offers resources or prompts alone
	}
	params := json.RawMessage("{}")
	for range maxProbePages {
		reply, err := client.CallRepeatable(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, err
		}
		if reply.Error != nil {
			return nil, fmt.Errorf("%w: tools/list is answered with the error %.200s", abi.ErrUnavailable, reply.Error)
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
	return nil, fmt.Errorf("%w: its list of tools has more than %d pages", abi.ErrLimit, maxProbePages)
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
