package connect

import (
	"strings"
	"testing"
)

// The diff is printed, so it must not contain credentials.
func TestDiffMasksCredentials(t *testing.T) {
	text := `{"mcpServers": {"a": {
  "command": "npx", "args": ["-y", "--token", "CANARY-1", "--api-key=CANARY-2", "https://u:CANARY-3@h/?key=CANARY-4", "kept"],
  "env": {"API_KEY": "CANARY-5", "QUOTED_TOKEN": "CANARY\"6", "LOG": "debug", "REF_TOKEN": "${TOKEN}", "EMPTY_KEY": "",
    "DB_PASSWORD": "CANARY$dor", "DEF_TOKEN": "${T:-CANARY}", "INPUT_TOKEN": "${input:my-token}",
    "GITHUB_PAT": "CANARY-11", "TOK": "CANARY-12", "KEYS": "-----BEGIN PRIVATE KEY-----\\nCANARY", "CONN": "Server=h;Password=CANARY 13;Port=1", "AUTHOR": "me"},
  "headers": {"Authorization": "Bearer CANARY-7"}
}}, "list": ["ghp_CANARYCANARYCANARY"]}
bearer_token = "CANARY-8"
password = 'CANARY-9'
@@ -7,2 +7,2 @@
       "CANARY-10",
       "kept"
`
	got := masked(text)
	if strings.Contains(got, "CANARY") {
		t.Errorf("a credential is shown:\n%s", got)
	}
	for _, kept := range []string{`"--token", "***", "--api-key=***"`, `"https://u:***@h/?key=***", "kept"`, `"LOG": "debug", "REF_TOKEN": "${TOKEN}", "EMPTY_KEY": ""`, `"INPUT_TOKEN": "${input:my-token}"`, `"Server=h;Password=***;Port=1", "AUTHOR": "me"`, "\n       \"kept\"\n"} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is not in\n%s", kept, got)
		}
	}
	if strings.Count(got, "\n") != strings.Count(text, "\n") {
		t.Error("lines were lost")
	}
}
