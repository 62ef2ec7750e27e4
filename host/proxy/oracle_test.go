package proxy

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestGoSDKClientThroughEndpoint(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "says it again"}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	r := newRig(t, realUpstreams{"s": upstream.Config{URL: web.URL}}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.serve(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "s__echo" {
		t.Fatalf("got %+v, %v", list, err)
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "s__echo", Arguments: map[string]any{"text": "hello"}})
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "hello" {
		t.Fatalf("got %+v, %v", res, err)
	}
	session.Close()
}
