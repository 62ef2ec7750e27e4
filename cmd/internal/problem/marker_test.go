package problem

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The error about a module that cannot be loaded has a cause and a hint.
func TestErrorsOfModulesHaveHints(t *testing.T) {
	for message, want := range map[string]struct{ cause, hint string }{
		"exports no mcpctl_abi_v1 and is no extism or WASI command module":                                   {"MCPCTL_ABI in C", "mcpctl create stage my-stage --no-build"},
		"is a component, want a core module (wasip1, wasm32-unknown-unknown)":                                {"build components", "rustc --crate-type cdylib --target wasm32-unknown-unknown"},
		"is compressed with gzip, want the module itself":                                                    {"", "gunzip -c FILE > FILE.wasm"},
		"imports mcpctl:core/v1.buf_zip, not part of ABI 1.0, update mcpctl":                                 {"newer mcpctl than this one", "mcpctl version"},
		"manifest: needs ABI 1.7, this host supports 1.0, update mcpctl":                                     {"newer mcpctl than this one", "mcpctl version"},
		"built for ABI 0, this host supports 1, rebuild it":                                                  {"older than this one", "mcpctl stage dev DIR --once"},
		"imports wasi:http/types, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort":                {"no files, network", "mcpctl create stage my-stage --no-build"},
		"imports env.console.log, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort":                {"c.log", "mcpctl stage dev DIR --once"},
		"imports env.seed, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort":                       {"Math.random", "mcpctl stage dev DIR --once"},
		"imports env.Date.now, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort":                   {"no clock", "mcpctl stage dev DIR --once"},
		"ends inside the code section":                                                                       {"the file is truncated", "mcpctl stage dev DIR --once"},
		"imports mcpctl:llm/v1, manifest does not list llm":                                                  {"write capabilities: [llm] in plugin.yaml", "mcpctl stage pack DIR --module FILE.wasm"},
		"imports mcpctl:core/v1.cache_get or cache_set and mcpctl:llm/v1, manifest does not list cache, llm": {"write capabilities: [cache, llm] in plugin.yaml", "mcpctl stage pack DIR --module FILE.wasm"},
		`manifest: roles[1].kind "stag" unknown, did you mean "stage"?`:                                      {"when the module was packed", "mcpctl stage pack DIR --module FILE.wasm"},
		"exports mcpctl_on_tool_call and is () -> i64, an unexpected type: no hint":                          {"", ""},
	} {
		p := From(fmt.Errorf("%w: module \"head\": %s", abi.ErrGuest, message))
		if p.Hint != want.hint || !strings.Contains(p.Cause, want.cause) || want.cause == "" && p.Cause != "" {
			t.Errorf("%s\n  %s\nhint: %s\nwant %q, %q", p.Message, p.Cause, p.Hint, want.cause, want.hint)
		}
	}
}
