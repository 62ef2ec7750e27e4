package proxy

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// TestMain also runs the test binary as the stdio server.
func TestMain(m *testing.M) {
	if !proxytest.PlantedMain() {
		os.Exit(m.Run())
	}
}

// Nothing is lost or changed in the version without sessions, and only what it demands is
// added, with servers of both kinds.
func TestStatelessFidelity(t *testing.T) {
	web := httptest.NewServer(proxytest.PlantedHandler())
	t.Cleanup(web.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]upstream.Config{
		"http with sessions":  {URL: web.URL},
		"http without":        {URL: web.URL, Stateless: true},
		"stdio with sessions": {Command: []string{"/usr/bin/env", proxytest.PlantedEnv + "=1", self}},
		"stdio without":       {Command: []string{"/usr/bin/env", proxytest.PlantedEnv + "=1", self}, Stateless: true},
	} {
		for models, m := range map[string]Model{"no stage": {}, "stages that only look": {Runs: true}} {
			t.Run(name+", "+models, func(t *testing.T) {
				p := Project{Servers: []Server{{Name: "s"}}, Bare: true, Models: testModels{"*": m}}
				c := statelessClient{t, newRig(t, realUpstreams{"s": cfg}, p, Options{}).serve(t)}
				for i, q := range proxytest.Questions {
					if q.Method == "x/own" {
						continue // no method of the version
					}
					direct := proxytest.PlantedAnswer(jsonrpc.Message{ID: jsonrpc.NumberID(int64(i)), Method: q.Method, Params: []byte(q.Params)})
					_, answer := c.ask(jsonrpc.Message{ID: direct.ID, Method: q.Method, Params: []byte(q.Params)})
					for _, d := range proxytest.Differences(string(direct.Append(nil)), withoutVersionMembers(q.Method, direct.Result, answer)) {
						t.Errorf("%s %s: %s", q.Method, q.Params, d)
					}
				}
			})
		}
	}
}

// withoutVersionMembers removes the members that the stateless version adds to a result,
// unless the server's own result has them.
func withoutVersionMembers(method string, direct, answer []byte) string {
	result := jsonedit.Member(answer, "result")
	if result.End == 0 {
		return string(answer)
	}
	p := jsonedit.Patch{Source: answer}
	p.EditObject(result.Start, func(key []byte) bool {
		name := jsonedit.KeyText(key)
		return (name == "resultType" || name == "ttlMs" || name == "cacheScope" || name == "_meta") && !jsonedit.Has(direct, name)
	})
	if scope := jsonedit.MemberAt(answer, result.Start, "cacheScope"); method == "tools/list" {
		p.Replace(scope, []byte(`"session"`)) // the planted value, which the version does not allow
	}
	if meta := jsonedit.MemberAt(answer, result.Start, "_meta"); jsonedit.Has(direct, "_meta") {
		p.EditObject(meta.Start, func(key []byte) bool { return jsonspan.KeyIs(key, "io.modelcontextprotocol/serverInfo") })
	}
	return string(p.Apply())
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
