package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	markmcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/host/flow"
)

// The servers of the SDKs are the oracle, because they are independent readings of the
// specification. Each has one tool, "work": it reports progress, logs, asks the user, and
// returns the user's answer.

func goSDKServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "work"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			note := &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i)}
			if err := req.Session.NotifyProgress(ctx, note); err != nil {
				return nil, nil, err
			}
		}
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "working"}); err != nil {
			return nil, nil, err
		}
		answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "go on?"})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "user: " + answer.Action}}}, nil, nil
	})
	return s
}

func mcpGoServer() *server.MCPServer {
	s := server.NewMCPServer("mcp-go", "1", server.WithLogging(), server.WithElicitation(), server.WithToolCapabilities(true))
	s.AddTool(markmcp.NewTool("work"), func(ctx context.Context, req markmcp.CallToolRequest) (*markmcp.CallToolResult, error) {
		answer, err := s.RequestElicitation(ctx, markmcp.ElicitationRequest{Params: markmcp.ElicitationParams{
			Message: "go on?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}})
		if err != nil {
			return nil, err
		}
		return markmcp.NewToolResultText("user: " + string(answer.Action)), nil
	})
	return s
}

// runOracleProcess serves one of the SDKs on stdin and stdout.
func runOracleProcess(mode string) {
	var err error
	switch mode {
	case "go-sdk":
		err = goSDKServer().Run(context.Background(), &mcp.StdioTransport{})
	case "slow-stateless":
		time.Sleep(discoverLimit + time.Second)
		serveStatelessOnly()
	case "go-sdk-stateless":
		err = statelessSDKServer().Run(context.Background(), &mcp.StdioTransport{})
	case "mcp-go":
		err = server.ServeStdio(mcpGoServer())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func TestServersOfTheSDKs(t *testing.T) {
	over := func(h http.Handler) func(*testing.T) Config {
		return func(t *testing.T) Config {
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			return Config{Name: "fake", URL: s.URL}
		}
	}
	process := func(mode string) func(*testing.T) Config {
		return func(t *testing.T) Config { return fakeConfig(t, "sdk="+mode) }
	}
	goSDK := func(o mcp.StreamableHTTPOptions) http.Handler {
		s := goSDKServer()
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &o)
	}
	const fromGoSDK = "notifications/progress,notifications/progress,notifications/progress,notifications/message,request elicitation/create"
	for _, tt := range []struct {
		name, want string
		config     func(*testing.T) Config
	}{
		{"go-sdk over stdio", fromGoSDK, process("go-sdk")},
		{"go-sdk over SSE", fromGoSDK, over(goSDK(mcp.StreamableHTTPOptions{}))},
		{"go-sdk over resumable SSE", fromGoSDK, over(goSDK(mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))},
		{"mcp-go over stdio", "request elicitation/create", process("mcp-go")},
		{"mcp-go over HTTP", "request elicitation/create", over(server.NewStreamableHTTPServer(mcpGoServer(), server.WithStateful(true)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := tt.config(t)
			cfg.Capabilities = []byte(`{"elicitation":{},"roots":{"listChanged":true}}`)
			c := startFake(t, cfg, &recorder{})
			if reply, err := c.Call(t.Context(), "logging/setLevel", []byte(`{"level":"debug"}`), nil); err != nil || reply.Error != nil {
				t.Fatalf("logging/setLevel: %s, %v", reply.Error, err)
			}
			list, err := c.Call(t.Context(), "tools/list", nil, nil)
			if err != nil || !strings.Contains(string(list.Result), `"name":"work"`) {
				t.Fatalf("tools/list: %s, %v", list.Result, err)
			}
			peer := &recorder{reply: flow.Reply{Result: []byte(`{"action":"accept","content":{}}`)}, called: make(chan string, 20)}
			reply, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"work","arguments":{},"_meta":{"progressToken":"mine"}}`), peer)
			if err != nil || !strings.Contains(string(reply.Result), `"text":"user: accept"`) {
				t.Fatalf("tools/call: %s %s, %v", reply.Result, reply.Error, err)
			}
			close(peer.called)
			var got []string
			for what := range peer.called {
				got = append(got, what)
			}
			if strings.Join(got, ",") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ","), tt.want)
			}
			for _, note := range peer.got() {
				if strings.Contains(note, "progressToken") && !strings.Contains(note, `"progressToken":"mine"`) {
					t.Errorf("another token: %s", note)
				}
			}
			if s := c.State(); s.Counts.Garbage+s.Counts.UnknownIDs+s.Counts.LateIDs > 0 {
				t.Errorf("counts %+v", s.Counts)
			}
		})
	}
}

// The Client reconnects to a server of the SDK that has lost the session.
func TestSDKServerThatLosesTheSession(t *testing.T) {
	var handler http.Handler
	fresh := func() {
		s := goSDKServer()
		handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	}
	fresh()
	swap := make(chan http.Handler, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := <-swap
		swap <- h
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	swap <- handler
	c := startFake(t, Config{Name: "fake", URL: s.URL}, nil)
	for i := range 3 {
		if reply, err := c.Call(t.Context(), "tools/list", nil, nil); err != nil || reply.Result == nil {
			t.Fatalf("call %d: %s, %v", i, reply.Error, err)
		}
		fresh()
		<-swap
		swap <- handler
	}
	if got := c.State().Restarts; got != 2 {
		t.Errorf("%d restarts, want 2", got)
	}
}
