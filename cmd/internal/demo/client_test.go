package demo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// serveTools serves a tool that returns two blocks and adds another tool.
func serveTools(t *testing.T) string {
	s := server.NewMCPServer("t", "1", server.WithToolCapabilities(true), server.WithInstructions("hello"))
	nothing := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(""), nil
	}
	s.AddTool(mcp.NewTool("grow"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("grown"), nothing)
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("text"), mcp.NewImageContent("AAAA", "image/png")}}, nil
	})
	h := server.NewStreamableHTTPServer(s)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv.URL
}

// A client with Notify gets all notifications, because its stream is open before its first
// call.
func TestClientReceivesNotifications(t *testing.T) {
	methods := make(chan string, 10)
	c, err := Open(t.Context(), &http.Client{}, serveTools(t), Options{Name: "cursor", Notify: func(method string) { methods <- method }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := c.Call(t.Context(), "grow", nil)
	if err != nil || string(a.Text) != "text" || len(a.Blocks) != 2 || a.Blocks[1].Type != "image" || a.Blocks[1].Raw == nil {
		t.Errorf("%+v, %v", a, err)
	}
	select {
	case method := <-methods:
		if method != "notifications/tools/list_changed" {
			t.Errorf("got notification %s", method)
		}
	case <-time.After(10 * time.Second):
		t.Error("no notification")
	}
	if list, err := c.Tools(t.Context()); err != nil || len(list) != 2 || c.Instructions() != "hello" {
		t.Errorf("%v, %q, %v", list, c.Instructions(), err)
	}
	var refused *Refusal
	if _, err := c.Call(t.Context(), "nope", nil); !errors.As(err, &refused) {
		t.Errorf("an unknown tool: %v", err)
	}
}
