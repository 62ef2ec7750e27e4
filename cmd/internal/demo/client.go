package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Client is a client session with the endpoint of a project. It is safe for concurrent
// use.
type Client struct {
	c           *client.Client
	initialized *mcp.InitializeResult
}

// Options are the options of Open. The zero value is a client named mcpctl that opens no
// notification stream.
type Options struct {
	Name    string // default mcpctl
	Version string // default 1

	// Notify is called with the method of each notification. If it is set, Open opens a
	// GET stream and returns once the stream is open. Notify must not wait for a call of
	// the client: a notification can arrive while an answer is pending.
	Notify func(method string)
}

// Dial opens a session with default options. The caller closes it.
func Dial(ctx context.Context, over *http.Client, endpoint string) (*Client, error) {
	return Open(ctx, over, endpoint, Options{})
}

// Open opens a session. The caller closes it. The stream also ends with ctx.
func Open(ctx context.Context, over *http.Client, endpoint string, o Options) (*Client, error) {
	opts := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(over)}
	opened := make(chan struct{})
	if o.Notify != nil {
		opts = []transport.StreamableHTTPCOption{
			transport.WithHTTPBasicClient(watchStream(over, opened)), transport.WithHTTPLogger(slog.New(slog.DiscardHandler)),
			transport.WithContinuousListening(), //nolint:staticcheck // the sessions of our endpoint have a stream
		}
	}
	c, err := client.NewStreamableHttpClient(endpoint, opts...)
	if err != nil {
		return nil, err
	}
	if o.Notify != nil {
		c.OnNotification(func(n mcp.JSONRPCNotification) { o.Notify(n.Method) })
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	res, err := c.Initialize(ctx, o.initializeRequest())
	if err == nil && o.Notify != nil {
		select {
		case <-opened:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Client{c, res}, nil
}

// ClientInfo returns the client name and version for initialize.
func (o Options) ClientInfo() (name, version string) {
	return cmp.Or(o.Name, "mcpctl"), cmp.Or(o.Version, "1")
}

func (o Options) initializeRequest() mcp.InitializeRequest {
	who := mcp.Implementation{}
	who.Name, who.Version = o.ClientInfo()
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = "2025-11-25", who
	return hello
}

// Close ends the session.
func (c *Client) Close() error { return c.c.Close() }

// Instructions returns the server's instructions from initialize.
func (c *Client) Instructions() string { return c.initialized.Instructions }

// Listed is a tool in tools/list.
type Listed struct {
	Name        string `json:"name"`
	Tokens      int    `json:"tokens"` // estimate for the whole definition
	Description string `json:"description,omitempty"`
}

// Tools lists the tools with their wire names.
func (c *Client) Tools(ctx context.Context) ([]Listed, error) {
	res, err := c.c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, asRefusal(err)
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

// Answer is the result of a tool call: its blocks, the concatenated text blocks, and the
// ref of the stored original, if any.
type Answer struct {
	Text    []byte
	Blocks  []Block
	Ref     string
	IsError bool
}

// Block is one block of an answer.
type Block struct {
	Type string          `json:"type"`           // text, image, resource_link, ...
	Text string          `json:"text,omitempty"` // of a text block
	Raw  json.RawMessage `json:"raw,omitempty"`  // of any other block: its JSON
}

// asRefusal returns err as a Refusal, unless it is a connection error.
func asRefusal(err error) error {
	if broken := (*transport.Error)(nil); errors.As(err, &broken) {
		return err
	}
	return &Refusal{err}
}

// Call calls a tool. A result with isError is not an error of Call.
//
// Errors: *Refusal, or the error of the connection.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (Answer, error) {
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := c.c.CallTool(ctx, req)
	if err != nil {
		return Answer{}, asRefusal(err)
	}
	a := Answer{IsError: res.IsError}
	for _, content := range res.Content {
		b, err := blockOf(content)
		if err != nil {
			return Answer{}, err
		}
		a.Blocks = append(a.Blocks, b)
		a.Text = append(a.Text, b.Text...)
	}
	if res.Meta != nil {
		a.Ref, _ = res.Meta.AdditionalFields[flow.MetaRef].(string)
	}
	return a, nil
}

func blockOf(content mcp.Content) (Block, error) {
	if t, ok := content.(mcp.TextContent); ok {
		return Block{Type: "text", Text: t.Text}, nil
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return Block{}, err
	}
	var kind struct {
		Type string `json:"type"`
	}
	err = json.Unmarshal(raw, &kind)
	return Block{Type: kind.Type, Raw: raw}, err
}
