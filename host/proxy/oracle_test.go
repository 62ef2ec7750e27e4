package proxy

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	gotransport "github.com/mark3labs/mcp-go/client/transport"
	gomcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/host/stateless"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// askingServer is a Go SDK server whose tool sends its client every request that servers
// may send, reports progress and logs, and returns the client's answers.
func askingServer(t *testing.T) string {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "!"}}}, nil
		},
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			if token := r.Params.GetProgressToken(); token != nil {
				r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)})
			}
		}
		sampled, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "?"}}}})
		if err != nil {
			return nil, nil, fmt.Errorf("sampling: %w", err)
		}
		elicited, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "name?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, nil, fmt.Errorf("elicitation: %w", err)
		}
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("roots: %w", err)
		}
		text := fmt.Sprintf("%s %v %s", sampled.Content.(*mcp.TextContent).Text, elicited.Content["name"], roots.Roots[0].URI)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}, nil
	})
	server.AddResource(&mcp.Resource{Name: "r", URI: "x:1"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "x:1", Text: "one"}}}, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "touch"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "x:1"})
		mcp.AddTool(server, &mcp.Tool{Name: "added"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
		return &mcp.CallToolResult{}, nil, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

// sdkClient is a Go SDK client whose answers contain its name.
type sdkClient struct {
	*mcp.ClientSession
	mu       sync.Mutex
	progress []float64
	updated  chan string
	tools    chan struct{}
}

func connectSDK(t *testing.T, name, version string, transport mcp.Transport) *sdkClient {
	c := &sdkClient{updated: make(chan string, 10), tools: make(chan struct{}, 10)}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: name}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": name}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, r.Params.Progress)
		},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.updated <- r.Params.URI },
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.tools <- struct{}{} },
	})
	client.AddRoots(&mcp.Root{URI: "file:///" + name})
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c.ClientSession = session
	return c
}

// Several real clients reach a real server at the same time, in both kinds of protocol
// versions. The server keeps a session for each and asks its client during the calls.
func TestGoSDKClients(t *testing.T) {
	for _, version := range []string{versions[0], stateless.Version} {
		t.Run(version, func(t *testing.T) { testGoSDKClients(t, version) })
	}
}

func testGoSDKClients(t *testing.T, version string) {
	r := newRig(t, realUpstreams{"s": upstream.Config{URL: askingServer(t)}}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	url := r.serve(t)
	clients := map[string]*sdkClient{
		"ann": connectSDK(t, "ann", version, &mcp.StreamableClientTransport{Endpoint: url}),
		"bob": connectSDK(t, "bob", version, &mcp.StreamableClientTransport{Endpoint: url}),
		"cyd": connectSDK(t, "cyd", version, &mcp.StreamableClientTransport{Endpoint: url}),
	}
	var wg sync.WaitGroup
	for name, c := range clients {
		for i := range 4 {
			wg.Go(func() {
				params := &mcp.CallToolParams{Name: "s__ask", Arguments: map[string]any{}}
				params.SetProgressToken(fmt.Sprint("token", i))
				res, err := c.CallTool(t.Context(), params)
				if err != nil || res.IsError {
					t.Errorf("%s: %+v, %v", name, res, err)
					return
				}
				if got, want := res.Content[0].(*mcp.TextContent).Text, name+" "+name+" file:///"+name; got != want {
					t.Errorf("%s got %q, want %q", name, got, want)
				}
			})
		}
	}
	wg.Wait()
	for name, c := range clients {
		c.mu.Lock()
		if len(c.progress) != 12 {
			t.Errorf("%s: %d reports of progress, want 12", name, len(c.progress))
		}
		c.mu.Unlock()
		everythingElse(t, name, version, c)
	}
}

// everythingElse sends the other requests of the protocol.
func everythingElse(t *testing.T, name, version string, c *sdkClient) {
	ctx := t.Context()
	if got, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: "s__greet"}); err != nil || got.Messages[0].Content.(*mcp.TextContent).Text != "hi" {
		t.Errorf("%s: prompt %+v, %v", name, got, err)
	}
	if got, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "x:1"}); err != nil || got.Contents[0].Text != "one" {
		t.Errorf("%s: resource %+v, %v", name, got, err)
	}
	ref := &mcp.CompleteReference{Type: "ref/prompt", Name: "s__greet"}
	if got, err := c.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "n", Value: "v"}}); err != nil || got.Completion.Values[0] != "v!" {
		t.Errorf("%s: completion %+v, %v", name, got, err)
	}
	if version != stateless.Version {
		sessionRequests(t, name, c)
	}
	if err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: "x:1"}); err != nil {
		t.Errorf("%s: subscribe: %v", name, err)
	}
	if _, err := c.ListTools(ctx, nil); err != nil {
		t.Errorf("%s: list: %v", name, err)
	}
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "s__touch", Arguments: map[string]any{}}); err != nil {
		t.Errorf("%s: touch: %v", name, err)
	}
	within(t, name+": resources/updated", c.updated)
}

// sessionRequests sends the requests that only versions with sessions have.
func sessionRequests(t *testing.T, name string, c *sdkClient) {
	ctx := t.Context()
	if err := c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Errorf("%s: level: %v", name, err)
	}
	if err := c.Ping(ctx, nil); err != nil {
		t.Errorf("%s: ping: %v", name, err)
	}
}

func within[T any](t *testing.T, name string, c chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Errorf("%s did not arrive", name)
	}
}

// A server's new tool is announced to a client that has the list.
func TestListChangedReachesGoSDKClient(t *testing.T) {
	for _, version := range []string{versions[0], stateless.Version} {
		t.Run(version, func(t *testing.T) { testListChangedReachesGoSDKClient(t, version) })
	}
}

func testListChangedReachesGoSDKClient(t *testing.T, version string) {
	r := newRig(t, realUpstreams{"s": upstream.Config{URL: askingServer(t)}}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := connectSDK(t, "ann", version, &mcp.StreamableClientTransport{Endpoint: r.serve(t)})
	if list, err := c.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "s__touch", Arguments: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	within(t, "tools/list_changed", c.tools)
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "s__added", Arguments: map[string]any{}}); err != nil {
		t.Errorf("the new tool: %v", err)
	}
}

// mcpGoAnswers are the answers of an mcp-go client.
type mcpGoAnswers struct{}

func (mcpGoAnswers) CreateMessage(context.Context, gomcp.CreateMessageRequest) (*gomcp.CreateMessageResult, error) {
	r := &gomcp.CreateMessageResult{Model: "m"}
	r.Role, r.Content = "assistant", gomcp.TextContent{Type: "text", Text: "dan"}
	return r, nil
}

func (mcpGoAnswers) Elicit(context.Context, gomcp.ElicitationRequest) (*gomcp.ElicitationResult, error) {
	r := &gomcp.ElicitationResult{}
	r.Action, r.Content = "accept", map[string]any{"name": "dan"}
	return r, nil
}

func (mcpGoAnswers) ListRoots(context.Context, gomcp.ListRootsRequest) (*gomcp.ListRootsResult, error) {
	return &gomcp.ListRootsResult{Roots: []gomcp.Root{{URI: "file:///dan"}}}, nil
}

// This client tries the stateless protocol version first.
func TestMCPGoClient(t *testing.T) {
	r := newRig(t, realUpstreams{"s": upstream.Config{URL: askingServer(t)}}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	transport, err := gotransport.NewStreamableHTTP(r.serve(t), gotransport.WithContinuousListening())
	if err != nil {
		t.Fatal(err)
	}
	c := mcpgo.NewClient(transport, mcpgo.WithSamplingHandler(mcpGoAnswers{}), mcpgo.WithElicitationHandler(mcpGoAnswers{}), mcpgo.WithRootsHandler(mcpGoAnswers{}))
	ctx := t.Context()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var hello gomcp.InitializeRequest
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = gomcp.LATEST_PROTOCOL_VERSION, gomcp.Implementation{Name: "dan", Version: "1"}
	init, err := c.Initialize(ctx, hello)
	if err != nil || init.ProtocolVersion != versions[0] {
		t.Fatalf("initialize: %+v, %v", init, err)
	}
	list, err := c.ListTools(ctx, gomcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("list: %+v, %v", list, err)
	}
	var call gomcp.CallToolRequest
	call.Params.Name = "s__ask"
	res, err := c.CallTool(ctx, call)
	if err != nil || res.IsError {
		t.Fatalf("call: %+v, %v", res, err)
	}
	if got := res.Content[0].(gomcp.TextContent).Text; got != "dan dan file:///dan" {
		t.Errorf("got %q", got)
	}
}
