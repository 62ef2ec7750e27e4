package host

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Filters read JSON without unnecessary escapes, so an escaped secret is removed. A
// result without a secret keeps the bytes of the server.
func TestFiltersReadDecodedStructuredContent(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a Go module")
	}
	module, err := os.ReadFile("../examples/dist/redactor-go.wasm")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"),
		"proxymodels/safe.yaml": model("safe", "type: redactor")})
	r.put(t, "stages/redactor.wasm", module)
	r.reload(t)
	for _, tc := range []struct {
		rule, content string
		secret        string // "" if the result must pass unchanged
	}{
		{"escaped solidus", `{"url":"postgres:\/\/admin:s3cr3t-of-the-db@db\/app"}`, "s3cr3t-of-the-db"},
		{"escaped letters", `{"url":"\u0070ostgres\u003a//admin:s3cr3t\u002dof-the-db@db/app"}`, "s3cr3t-of-the-db"},
		{"escaped letters of a token", `["\u0067hp_0123456789abcdefghijABCDEFGHIJ01234\u0035"]`, "ghp_0123456789"},
		{"escaped letter in a key", `{"p\u0061ssword":"correct horse"}`, "correct horse"},
		{"surrogate pair before a secret", `{"u":"\ud83d\ude00 https:\/\/a:s3cr3t-of-the-db@h"}`, "s3cr3t-of-the-db"},
		{"unpaired surrogate before a secret", `{"u":"\ud83d https:\/\/a:s3cr3t-of-the-db@h"}`, "s3cr3t-of-the-db"},
		{"escaped quotes round a secret", `{"password":"a\u0022 s3cr3t-of-the-db"}`, "s3cr3t-of-the-db"},
		{"no secret", `{"path":"\/srv\/d\u0061ta","n":1e2,"s":"\ud83d"}`, ""},
	} {
		for _, tool := range []string{"structured", "get"} {
			t.Run(tc.rule+", "+tool, func(t *testing.T) {
				answer := r.dial(t).tool(t, "up__"+tool, file(t, []byte(tc.content)))
				text := answer.text()
				if tc.secret == "" {
					if text != tc.content || tool == "structured" && string(answer.Structured) != tc.content {
						t.Errorf("changed without a secret: %s", answer.raw)
					}
					return
				}
				if strings.Contains(string(answer.raw), tc.secret) || !strings.Contains(text, "[redacted ") {
					t.Errorf("not redacted: %s", answer.raw)
				}
				if !json.Valid([]byte(text)) {
					t.Errorf("the result is not JSON: %s", text)
				}
				if answer.Structured != nil && strings.Contains(string(answer.Structured), `\u00`) {
					t.Errorf("structuredContent passed: %s", answer.Structured)
				}
			})
		}
	}
	r.stop()
	if home := readFiles(t, r.dir); strings.Contains(home, `s3cr3t`) || strings.Contains(home, `correct horse`) {
		t.Error("a file of the home contains a secret")
	}
}
