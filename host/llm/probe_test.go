package llm

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestProbe(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if strings.HasPrefix(r.URL.Path, "/bad") {
			http.Error(w, `{"error":{"message":"key `+canary+` is invalid"}}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"content":"OK"},"finish_reason":"length"}]}`)
	}))
	defer server.Close()
	r := open(t, fmt.Sprintf(`llm:
  providers:
    - {name: good, type: openai, baseURL: %[1]q, model: m, apiKey: "${KEY}"}
    - {name: bad, type: openai, baseURL: "%[1]s/bad", model: m, apiKey: "${KEY}"}
    - {name: unset, type: openai, baseURL: %[1]q, model: m, apiKey: "${OTHER}"}
    - {name: program, type: gemini-cli, command: [no-such-program-anywhere]}
    - {name: script, type: fake}
`, server.URL))
	for _, tc := range []struct {
		name, want string // want is in the error, "" for none
		asked      int
	}{
		{"good", "", 1},
		{"bad", "401", 1},
		{"unset", "OTHER", 0},
		{"program", "no-such-program-anywhere", 0},
		{"script", "", 0},
		{"missing", `"missing" not found`, 0},
	} {
		asked = 0
		err := r.Probe(t.Context(), tc.name)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error contains the key: %v", tc.name, err)
		}
		if asked != tc.asked {
			t.Errorf("%s: %d requests, want %d", tc.name, asked, tc.asked)
		}
	}
	if err := r.Probe(t.Context(), "missing"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("an unknown provider: %v", err)
	}
	if spent, _ := r.Budget(); len(spent) != 0 {
		t.Errorf("a probe counts for the budget of a project: %v", spent)
	}
}
