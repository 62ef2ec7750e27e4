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

// Client is one session with a project's endpoint, as a client has it. Safe for
// concurrent use.
type Client struct {
	c     *client.Client
	hello *mcp.InitializeResult
}

// Options are options of Open. The zero value is a client of ours that listens to
// nothing.
type Options struct {
	Name    string // default mcpctl
	Version string // default 1

	// Notify is told the method of each notification. With it the client keeps a
	// stream open, as clients do that heed changes; Open returns once it is. Notify
	// must not wait for the client: what it is told may hold an answer back.
	Notify func(method string)
}

// Dial opens a session. The caller closes it.
func Dial(ctx context.Context, over *http.Client, endpoint string) (*Client, error) {
	return Open(ctx, over, endpoint, Options{})
}

// Open opens a session. The caller closes it; a stream ends with ctx, too.
func Open(ctx context.Context, over *http.Client, endpoint string, o Options) (*Client, error) {
	opts := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(over)}
	opened := make(chan struct{})
	if o.Notify != nil {
		opts = []transport.StreamableHTTPCOption{
			transport.WithHTTPBasicClient(watched(over, opened)), transport.WithHTTPLogger(slog.New(slog.DiscardHandler)),
			transport.WithContinuousListening(), //nolint:staticcheck // of the sessions that we serve, which have a stream
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
	res, err := c.Initialize(ctx, o.hello())
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

// Who is the name and version that the server is told.
func (o Options) Who() (name, version string) {
	return cmp.Or(o.Name, "mcpctl"), cmp.Or(o.Version, "1")
}

func (o Options) hello() mcp.InitializeRequest {
	who := mcp.Implementation{}
	who.Name, who.Version = o.Who()
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = "2025-11-25", who
	return hello
}

// Close ends the session.
func (c *Client) Close() error { return c.c.Close() }

// Instructions are what the server said at initialize.
func (c *Client) Instructions() string { return c.hello.Instructions }

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

// Answer is what a tool call answered: its blocks, the texts among them joined,
// and the ref of the stored original if the answer names one.
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
	Raw  json.RawMessage `json:"raw,omitempty"`  // of any other: the whole block
}

// asRefusal returns err as a Refusal, unless it is that of the connection.
func asRefusal(err error) error {
	if broken := (*transport.Error)(nil); errors.As(err, &broken) {
		return err
	}
	return &Refusal{err}
}

// Call calls a tool. An answer that says it is an error is no error of Call.
//
// Errors: Refusal, or that of the connection.
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
