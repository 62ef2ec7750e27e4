package object

import (
	"strings"
	"testing"
)

func TestPlainCredentialsAndVariables(t *testing.T) {
	for _, tc := range []struct {
		rule, spec, plain, variables string
	}{
		{"references only", "{command: [x, --token, '${B}'], env: {TOKEN: '${A}', LOG: warn}}", "", "A B"},
		{"flag and variable", "{command: [x, --token, abc], env: {TOKEN: abc, LOG: warn}}", "command[2] env.TOKEN", ""},
		{"header with text and a reference", "{url: 'https://h/', headers: {Authorization: 'Bearer ${A}'}}", "", "A"},
		{"default of a reference", "{command: [x, '--token=${T:-abc}', '${MCPCTL_CLIENT_CWD:-~}'], env: {API_KEY: '${API_KEY:-abc}', OTHER_KEY: '${OTHER_KEY:-}', LOG: '${LOG:-debug}'}}", "command[1] env.API_KEY", "API_KEY LOG MCPCTL_CLIENT_CWD OTHER_KEY T"},
		{"query and header", "{url: 'https://h/?key=abc', headers: {Authorization: Bearer x}}", "url headers.Authorization", ""},
	} {
		s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: "+tc.spec)
		if got := strings.Join(s.PlainCredentials(), " "); got != tc.plain {
			t.Errorf("%s: in clear %q, want %q", tc.rule, got, tc.plain)
		}
		if got := strings.Join(s.Variables(), " "); got != tc.variables {
			t.Errorf("%s: variables %q, want %q", tc.rule, got, tc.variables)
		}
	}
}
