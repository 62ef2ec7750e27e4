package login

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// A person is not asked for a password if the address is wrong.
func TestAddressIsCheckedFirst(t *testing.T) {
	home := t.TempDir()
	var asked bytes.Buffer
	f := &factory.Factory{IO: &iostreams.Streams{In: strings.NewReader(""), ErrOut: &asked, InTerminal: true}, Env: func(name string) string {
		return map[string]string{"MCPCTL_HOME": home, "USER": "anna"}[name]
	}}
	if err := loginRun(t.Context(), &Options{F: f, URL: "http://127.0.0.1:1"}); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if asked.Len() > 0 {
		t.Errorf("asked: %s", &asked)
	}
}
