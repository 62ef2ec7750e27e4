package team

import (
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// The token is sent only to the address of the login, and not in clear text to other
// machines.
func TestTokenIsNotSentElsewhere(t *testing.T) {
	token := secret.New("mcpd_canary")
	for _, tc := range []struct {
		name string
		s    Settings
		want error
	}{
		{"plain HTTP", Settings{URL: "http://team.example:3100"}, ErrPlain},
		{"plain HTTP to an address", Settings{URL: "http://10.0.0.1:3100"}, ErrPlain},
		{"other address", Settings{URL: "https://other.example", Login: Login{URL: "https://team.example", Token: token}}, ErrNotLoggedIn},
		{"user in the address", Settings{URL: "https://u:canary@team.example"}, abi.ErrConfig},
		{"query", Settings{URL: "https://team.example?x=1"}, abi.ErrConfig},
		{"other scheme", Settings{URL: "file:///etc/passwd"}, abi.ErrConfig},
		{"no address", Settings{}, ErrNotConfigured},
		{"missing certificates", Settings{URL: "https://team.example", CA: filepath.Join(t.TempDir(), "x.pem")}, os.ErrNotExist},
		{"https", Settings{URL: "https://team.example", Login: Login{URL: "https://team.example", Token: token}}, nil},
		{"loopback", Settings{URL: "http://127.0.0.1:3100"}, nil},
		{"plain HTTP allowed", Settings{URL: "http://team.example:3100", Insecure: true}, nil},
	} {
		_, err := NewClient(tc.s)
		if !errors.Is(err, tc.want) || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	if err := requireLoopback("tcp", "192.0.2.1:80", nil); !errors.Is(err, ErrPlain) {
		t.Errorf("localhost that is another machine: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	m := teamtest.StartTLS()
	defer m.Close()
	token := m.AddUser("anna", "pw")
	login := Login{URL: m.URL, User: "anna", Token: secret.New(token)}
	c, err := NewClient(Settings{URL: m.URL, Login: login})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, nil); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("unknown certificate: %v", err)
	}
	if len(m.Requests("")) != 0 {
		t.Error("a request was sent")
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.Server().Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err = NewClient(Settings{URL: m.URL, CA: file, Login: login}); err != nil {
		t.Fatal(err)
	}
	var who struct{ Name string }
	if err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, &who); err != nil || who.Name != "anna" {
		t.Errorf("%+v, %v", who, err)
	}
}

// Errors contain the detail of mcpd, bounded and without the token.
func TestErrorsOfCalls(t *testing.T) {
	m := teamtest.Start()
	defer m.Close()
	token := m.AddUser("anna", "pw")
	c, err := NewClient(Settings{URL: m.URL, Login: Login{URL: m.URL, User: "anna", Token: secret.New(token)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		fault teamtest.Faults
		kind  error
		text  string
	}{
		{teamtest.Faults{Status: 401}, abi.ErrDenied, "401 Unauthorized"},
		{teamtest.Faults{Status: 404}, abi.ErrNotFound, "404"},
		{teamtest.Faults{Status: 409}, abi.ErrConflict, "409"},
		{teamtest.Faults{Status: 412}, abi.ErrConflict, "412"},
		{teamtest.Faults{Status: 422}, abi.ErrConfig, "422"},
		{teamtest.Faults{Status: 503}, abi.ErrUnavailable, "503"},
		{teamtest.Faults{Status: 403, Body: `{"detail":"token ` + token + "\\u001b[31m" + strings.Repeat("x", 9999) + `"}`}, abi.ErrDenied, "token ***\ufffd[31mxxx"},
		{teamtest.Faults{Status: 404, Body: "<html>"}, ErrNotMcpd, "404"},
		{teamtest.Faults{Status: 401, Body: `{"message":"x"}`}, ErrNotMcpd, "401"},
		{teamtest.Faults{Status: 502, Body: "<html>"}, abi.ErrUnavailable, "502"},
		{teamtest.Faults{Status: 500, Body: "{"}, abi.ErrUnavailable, "500 Internal Server Error"},
		{teamtest.Faults{Status: 200, Body: strings.Repeat(" ", maxAnswer+1)}, abi.ErrLimit, "more than 16 MiB"},
		{teamtest.Faults{Status: 200, Body: "<html>" + token}, ErrNotMcpd, "is not valid"},
	} {
		m.SetFaults(tc.fault)
		err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, new(struct{ Name string }))
		if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), token) || len(err.Error()) > 1000 {
			t.Errorf("%d: %.300v", tc.fault.Status, err)
		}
	}
}

// A call of a server may take longer than the limit of an answer to other calls.
func TestRelayHasNoLimitOfAnswer(t *testing.T) {
	c, err := NewClient(Settings{URL: "https://team.example"})
	if err != nil {
		t.Fatal(err)
	}
	relay, own := c.Transport().(*http.Transport), c.http.Transport.(*http.Transport)
	if relay.ResponseHeaderTimeout != 0 || own.ResponseHeaderTimeout != headerTimeout || relay.TLSClientConfig.MinVersion != own.TLSClientConfig.MinVersion {
		t.Errorf("limits %v and %v", relay.ResponseHeaderTimeout, own.ResponseHeaderTimeout)
	}
}
