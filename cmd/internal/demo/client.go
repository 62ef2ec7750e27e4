package demo

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/abi"
)

// Client is one session with a project's endpoint, as a client has it.
type Client struct{ c *client.Client }

// Answer is what a tool call answered: the text blocks joined, and the ref of the
// stored original if the answer names one.
type Answer struct {
	Text    []byte
	Ref     string
	IsError bool
}

// Dial opens a session. The caller closes it.
func Dial(ctx context.Context, over *http.Client, endpoint string) (*Client, error) {
	c, err := client.NewStreamableHttpClient(endpoint, transport.WithHTTPBasicClient(over))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "mcpctl", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		c.Close()
		return nil, err
	}
	return &Client{c}, nil
}

// Close ends the session.
func (c *Client) Close() error { return c.c.Close() }

// Listed is a tool as the client has it in its list.
type Listed struct {
	Name        string `json:"name"`
	Tokens      int    `json:"tokens"` // est., of the whole definition
	Description string `json:"description,omitempty"`
}

// Tools lists the tools by the names the client has for them.
func (c *Client) Tools(ctx context.Context) ([]Listed, error) {
	res, err := c.c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(res.Tools))
	for i, t := range res.Tools {
		b, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		list[i] = Listed{t.Name, abi.EstimateTokens(b), t.Description}
	}
	return list, nil
}

// Call calls a tool. An answer that says it is an error is no error of Call.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (Answer, error) {
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := c.c.CallTool(ctx, req)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{IsError: res.IsError}
	for _, block := range res.Content {
		if t, ok := block.(mcp.TextContent); ok {
			a.Text = append(a.Text, t.Text...)
		}
	}
	if res.Meta != nil {
		a.Ref, _ = res.Meta.AdditionalFields[abi.MetaRef].(string)
	}
	return a, nil
}
