package proxy

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// TestMain also runs the test binary as the stdio server.
func TestMain(m *testing.M) {
	if !proxytest.PlantedMain() {
		os.Exit(m.Run())
	}
}

// Nothing is lost, changed or added over HTTP. Package cmd/mcpctl/internal/mcp has the same
// test for stdio.
func TestFidelity(t *testing.T) {
	servers := map[string]func(*testing.T) upstream.Config{
		"http": func(t *testing.T) upstream.Config {
			web := httptest.NewServer(proxytest.PlantedHandler())
			t.Cleanup(web.Close)
			return upstream.Config{URL: web.URL}
		},
		"stdio": func(t *testing.T) upstream.Config {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			return upstream.Config{Command: []string{"/usr/bin/env", proxytest.PlantedEnv + "=1", self}}
		},
	}
	for serverName, server := range servers {
		for models, m := range map[string]Model{"no stage": {}, "stages that only look": {Runs: true}, "a filter that only looks": {Runs: true, Filters: true}} {
			t.Run(fmt.Sprintf("to %s, %s", serverName, models), func(t *testing.T) {
				p := Project{Servers: []Server{{Name: "s"}}, Bare: true, Models: testModels{"*": m}}
				c := newRig(t, realUpstreams{"s": server(t)}, p, Options{}).open(t, `{}`)
				for i, q := range proxytest.Questions {
					if m.Filters && strings.Contains(q.Params, `"half"`) {
						continue // no text: a filter cannot read it, so it is withheld
					}
					frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, q.Method, q.Params)
					direct := proxytest.PlantedAnswer(jsonrpc.Message{ID: jsonrpc.NumberID(int64(i)), Method: q.Method, Params: []byte(q.Params)})
					for _, d := range proxytest.Differences(string(direct.Append(nil)), c.body(c.post(frame))) {
						t.Errorf("%s %s: %s", q.Method, q.Params, d)
					}
				}
			})
		}
	}
}
