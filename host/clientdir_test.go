package host

import (
	"strings"
	"testing"
)

// In a session without a client directory, a server that needs one reports a clear
// error, and a server with a default uses it.
func TestSessionsWithoutClientDirectory(t *testing.T) {
	skipShort(t)
	for _, c := range []struct{ name, cwd, want string }{
		{"needed", "${MCPCTL_CLIENT_CWD}", "needs MCPCTL_CLIENT_CWD, which only a client that starts mcpctl mcp has"},
		{"default", "${MCPCTL_CLIENT_CWD:-/}", "hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, files{
				"servers/up.yaml":    stdioServer("up", "  cwd: \""+c.cwd+"\"\n"),
				"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], toolNames: bare, gated: false}\n",
			})
			client := r.dial(t)
			client.tools(t)
			got, err := client.tryTool("echo", `{"text":"hello"}`)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.text(), c.want) {
				t.Errorf("answer %q, want %q", got.text(), c.want)
			}
			if f, _ := r.Servers().LastFailure("up"); c.name == "needed" && !strings.Contains(f.Error, c.want) {
				t.Errorf("status reports %q, want %q", f.Error, c.want)
			}
			if err := r.Config().ServerFault("up"); err != nil {
				t.Errorf("the server is reported as broken for every client: %v", err)
			}
		})
	}
}
