package strictyaml_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// An unquoted text with a comma inside {...} is two keys in YAML. The error explains
// this.
func TestCommaInsideBracesIsReported(t *testing.T) {
	for _, tt := range []struct{ name, line, cause string }{
		{"a rest without a colon", `{name: rule, type: string, help: pumps, and their oil}`, "put all of help in quotes"},
		{"two commas", `{name: rule, type: string, help: pumps, and their oil, and valves}`, "put all of help in quotes"},
		{"a rest with a colon", `{name: rule, type: string, help: pumps, such as these: oil}`, "put all of help in quotes"},
		{"a misspelt key is no rest", `{name: rule, type: string, hlep: pumps}`, ""},
		{"a key without a value is no rest of a number", `{min: 1, mox, name: rule, type: int}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Parse([]byte("name: a\nkind: stage\nabi: 1\nconfig:\n- "+tt.line+"\n"), "plugin.yaml")
			var several strictyaml.Errors
			if !errors.As(err, &several) {
				t.Fatalf("%v", err)
			}
			for _, e := range several {
				if (tt.cause == "") != (e.Cause == "") || !strings.Contains(e.Cause, tt.cause) {
					t.Errorf("%q, want %q in\n%v", e.Cause, tt.cause, e)
				}
			}
		})
	}
	if _, err := manifest.Parse([]byte("name: a\nkind: stage\nabi: 1\nconfig:\n- {name: rule, type: string, help: \"pumps, and oil\"}\n"), "plugin.yaml"); err != nil {
		t.Error(err)
	}
}
