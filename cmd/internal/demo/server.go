// Package demo implements `mcpctl demo`: a small MCP server with real content, and a
// scripted session that reads this content through the daemon.
package demo

import (
	"context"
	"embed"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The files are copies of files in testdata/content, and a test compares them. SOURCES.md
// there names their origin and licence.
//
//go:embed content
var content embed.FS

// Tool is one tool of the demo server. It returns the content of a file.
type Tool struct {
	Name        string
	File        string
	MIME        string
	Description string
}

// Tools are the tools of the demo server.
var Tools = []Tool{
	{"get_flows", "ja-flows-atltvhead.json", "application/json", "The flows of a Node-RED instance, as its export has them: one flat array."},
	{"get_news", "jo-nia-news.json", "application/json", "All news items of an app's feed."},
	{"read_guide", "p-gson-guide.md", "text/markdown", "The user guide of a JSON library."},
}

// Content returns the file of a tool.
func (t Tool) Content() []byte {
	b, err := content.ReadFile("content/" + t.File)
	if err != nil {
		panic(err) // all files of Tools are embedded
	}
	return b
}

// Serve runs the demo server on stdio until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	s := server.NewMCPServer("mcpctl demo", version, server.WithInstructions("Real content to try mcpctl on."))
	for _, t := range Tools {
		tool := mcp.NewTool(t.Name, mcp.WithDescription(t.Description), mcp.WithReadOnlyHintAnnotation(true))
		text := string(t.Content())
		s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(text), nil
		})
	}
	for i, p := range []string{"review a flow", "find a news item", "explain a chapter"} {
		text := "Use the tools of the demo server to " + p + "."
		s.AddPrompt(mcp.NewPrompt(fmt.Sprintf("task-%d", i+1), mcp.WithPromptDescription(p)),
			func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}}, nil
			})
	}
	return server.NewStdioServer(s).Listen(ctx, in, out)
}
