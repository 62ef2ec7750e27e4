package team

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/secret"
)

// Answers of mcpd to calls of servers are explained by their text, which is not trusted.
func TestRefusal(t *testing.T) {
	const token = "mcpd_0123456789"
	c, err := NewClient(Settings{URL: "https://team.example", Login: Login{URL: "https://team.example", Token: secret.New(token)}})
	if err != nil {
		t.Fatal(err)
	}
	body := func(detail string) string { return `{"type":"about:blank","detail":"` + detail + `"}` }
	for name, tc := range map[string]struct {
		status int
		body   string
		want   string // "": no explanation
	}{
		"login":         {401, body("expired"), "mcpd https://team.example: status 401 Unauthorized: expired; log in to the team server again: mcpctl login https://team.example"},
		"right":         {403, body("denied"), "mcpd https://team.example: status 403 Forbidden: denied; you have no right to run it on the team server: mcpctl auth can-i run server wiki --project web"},
		"unknown":       {404, body("not found"), "mcpctl auth can-i run server wiki --project web"},
		"credentials":   {502, body("the server refused the credentials of mcpd"), "the server refused the credentials of mcpd"},
		"rate":          {429, body("too many requests"), "too many requests"},
		"control":       {502, body(`a\nb\u001b[2J`), "a b\uFFFD[2J"},
		"token":         {502, body("no " + token), "no " + secret.New(token).String()},
		"long":          {502, body(strings.Repeat("x", 5000)), strings.Repeat("x", maxText) + "…"},
		"another proxy": {502, "<html>", ""},
		"no text":       {502, "{}", ""},
	} {
		got := ""
		if err := c.Refusal("wiki", "web")(tc.status, []byte(tc.body)); err != nil {
			got = err.Error()
		}
		exact := tc.status != 404
		if exact && got != tc.want || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
