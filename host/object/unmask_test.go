package object

import (
	"strings"
	"testing"
)

// A stored header is sent to the stored address only.
func TestCheckMovedCredentials(t *testing.T) {
	const stored = "{url: 'https://a.example/mcp?key=1', headers: {A: secret, B: '${TOKEN}'}}"
	for _, tt := range []struct{ name, spec, want string }{
		{"the same address", "{url: 'https://a.example/mcp', headers: {A: '***'}}", ""},
		{"another query", "{url: 'https://a.example/mcp?key=2', headers: {A: '***'}}", ""},
		{"another host", "{url: 'https://b.example/mcp', headers: {A: '***'}}", "headers.A"},
		{"another scheme", "{url: 'http://a.example/mcp', headers: {A: '***'}}", "headers.A"},
		{"another path", "{url: 'https://a.example/log', headers: {A: '***'}}", "headers.A"},
		{"another port", "{url: 'https://a.example:444/mcp', headers: {A: '***'}}", "headers.A"},
		{"a host in a variable", "{url: 'https://${HOST}/mcp', headers: {A: '***'}}", "headers.A"},
		{"another host with new headers", "{url: 'https://b.example/', headers: {A: new, B: '${TOKEN}'}}", ""},
		{"another host and two headers", "{url: 'https://b.example/', headers: {A: '***', B: '***${TOKEN}'}}", "headers.B"},
	} {
		errs := CheckMovedCredentials(serverOf(t, tt.spec), serverOf(t, stored))
		if got := errs.Err(); (got == nil) != (tt.want == "") || got != nil && !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, got, tt.want)
		}
	}
	if errs := CheckMovedCredentials(serverOf(t, stored), nil); len(errs) > 0 {
		t.Errorf("a new server: %v", errs)
	}
}

func serverOf(t *testing.T, spec string) Object {
	t.Helper()
	objects, _, err := Decode("test.yaml", []byte("kind: Server\nmetadata: {name: s}\nspec: "+spec+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return objects[0]
}
