package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// ReadResource reads the text of a resource over a connection of its own.
//
// Errors: why the server does not start or does not return a text.
func (p *Pool) ReadResource(ctx context.Context, project string, s proxy.Server, uri string) ([]byte, error) {
	up, err := p.Connect(flow.Scope{Project: project}, s, proxy.Client{}, noClient{})
	if err != nil {
		return nil, err
	}
	defer up.Close()
	return readResource(ctx, up.Client, s.Name, uri)
}

// ReadLinked is ReadResource for a resource that the team server reads for a prompt. t has the
// address of the link; its Server is not used, because it may not be visible to the user.
func (p *Pool) ReadLinked(ctx context.Context, server string, t Target, uri string) ([]byte, error) {
	up, err := upstream.Start(p.life, upstream.Config{
		Name: server, URL: t.Endpoint.URL.Reveal(), Headers: Reveal(t.Endpoint.Headers), FrameBytes: p.opts.FrameBytes, Log: p.opts.Log,
		Transport: t.Relay.Transport, Refusal: t.Relay.Refusal,
	}, noClient{})
	if err != nil {
		return nil, err
	}
	defer up.Close()
	return readResource(ctx, up, server, uri)
}

func readResource(ctx context.Context, up *upstream.Client, server, uri string) ([]byte, error) {
	if err := up.Ready(ctx); err != nil { // the next fetch tries again
		return nil, up.CleanError(err)
	}
	params, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return nil, err
	}
	reply, err := up.CallRepeatable(ctx, "resources/read", params, noClient{})
	if err != nil {
		return nil, up.CleanError(err)
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("server %q: %s", server, up.Shorten(jsonrpc.ReadError(reply.Error).Error()))
	}
	return resourceText(reply.Result)
}

// resourceText returns the texts of a resource, joined by newlines.
func resourceText(result []byte) ([]byte, error) {
	var r struct {
		Contents []struct {
			Text *string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Contents {
		if c.Text != nil {
			texts = append(texts, *c.Text)
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("the resource contains no text")
	}
	return []byte(strings.Join(texts, "\n")), nil
}

// noClient is the Peer of a connection without a client.
type noClient struct{}

// Request implements proxy.Peer. It rejects all requests.
func (noClient) Request(_ context.Context, method string, _ json.RawMessage) flow.Reply {
	return flow.Reply{Error: fmt.Appendf(nil, `{"code":-32601,"message":%q}`, method+" is not answered here")}
}

// Notify implements proxy.Peer.
func (noClient) Notify(string, json.RawMessage) {}
