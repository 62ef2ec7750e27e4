package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Credentials reach the other side in JSON, and are not printed.
func TestCredentialIsOnlyInJSON(t *testing.T) {
	const text = "mcpd_canary"
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	for _, v := range []any{Login{User: "anna", Password: text}, &LoggedIn{Token: text}, Token{ID: "1", Token: text}, PasswordChange{Old: text, New: text}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, text) || strings.Contains(got, fmt.Sprintf("%x", text)) {
				t.Errorf("%s of %T prints the credential: %s", verb, v, got)
			}
		}
		log.Info("x", "value", v, "credential", Credential(text))
		if b, err := json.Marshal(v); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("JSON of %T: %s, %v", v, b, err)
		}
	}
	if strings.Contains(logged.String(), text) {
		t.Errorf("log: %s", logged.String())
	}
}
