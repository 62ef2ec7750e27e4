package problem

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The same message of the engine has different causes in different languages.
func TestAdviceDependsOnLanguage(t *testing.T) {
	for _, tt := range []struct{ reason, language, cause, hint string }{
		{"guest trapped: unreachable", "rust", "default-features = false", "mcpctl stage dev my --once"},
		{"guest trapped: unreachable", "assemblyscript", "unreachable() in AssemblyScript", "mcpctl stage dev my --once"},
		{"guest trapped: unreachable", "c", "__builtin_trap", ""},
		{"guest trapped: unreachable", "", "panic-message", "mcpctl stage dev my --once"},
		{"guest trapped: unreachable", "zig", "the guest ended itself", "mcpctl stage dev my --once"},
		{"guest aborted: Index out of range in ~lib/array.ts:114:42", "assemblyscript", "AssemblyScript's library", ""},
		{"guest aborted: no pump in assembly/index.ts:7:3", "assemblyscript", "an assert, a throw", ""},
		{"guest trapped: unreachable at 64 MiB (limit 64 MiB, set limits.memory)", "rust", "more memory than a call has", "mcpctl stage bench my --sizes 1K,16K"},
		{"guest trapped after 2.0s (limit 2s, set limits.time)", "go", "longer than a call may", "mcpctl stage bench my --sizes 1K,16K"},
		{"guest trapped after 4.0s on the wall, twice its limit, 1.3s of them on a processor (limit 2s, set limits.time)", "go", "It may also be an infinite loop", "mcpctl config view --origin"},
		{`module "my": _initialize trapped after 2.0s (limit 2s, set limits.time)`, "go", "initialization of the module", "mcpctl explain E_LIMIT"},
		{"start trapped after 2.0s (limit 2s, set limits.time)", "", "initialization of the module", "mcpctl explain E_LIMIT"},
		{"guest trapped: unreachable", "go", "Go's runtime ended the module", "mcpctl explain E_GUEST"},
		{"guest trapped: unreachable", "tinygo", "TinyGo ended the module", "mcpctl explain E_GUEST"},
		{"output over 1,048,600 bytes (set limits.output)", "go", "can only lower that", "mcpctl explain E_LIMIT"},
		{"role x does not have the capability cache", "go", "add it to capabilities: [cache]", "mcpctl stage dev my --once"},
		{"returned DONE, the manifest declares transforms: false", "c", "transforms: false in plugin.yaml", "mcpctl stage dev my --once"},
		{`module has no role "pump"`, "go", `stage.Register("pump", function)`, "mcpctl stage dev my --once"},
		{`module has no role "pump"`, "rust", `stage!("pump", function);`, "mcpctl stage dev my --once"},
		{"module has no controller pump", "go", `controller.Register("pump"`, "mcpctl stage dev my --once"},
		{"no role", "assemblyscript", `register("NAME", function)`, "mcpctl stage dev my --once"},
		{"a decoded section needs the section that holds its string as parent", "go", "add a section over it first", ""},
		{"section_add: span 5 to 1000000 is outside of the buffer of 18 bytes", "c", "-1 means to its end", ""},
		{"record 3: sections_add: span -1 to 4 is outside of the buffer of 18 bytes", "go", "-1 means to its end", ""},
		{"out_span: length -3, want -1 (to the end) or more", "c", "which is negative if it found nothing", ""},
		{"guest trapped: out of bounds memory access", "c", "recursion without end, or large local variables", ""},
		{"returned -2, want 0, 1 or 2", "c", "-2 is BAD_ARG, the result of an import: an argument is invalid", ""},
		{"returned -99, want 0, 1 or 2", "c", "", ""},
		{"returned 7, want 0, 1 or 2", "c", "", ""},
		{"no pump in it", "go", "", ""},
		{"panic: guest trapped: unreachable", "rust", "", ""},
	} {
		a := GuestAdvice(tt.reason, tt.language).In("my")
		if !strings.Contains(a.Cause, tt.cause) || (tt.cause == "") != (a.Cause == "") || a.Hint != tt.hint {
			t.Errorf("%s in %q: %q, %q; want %q, %q", tt.reason, tt.language, a.Cause, a.Hint, tt.cause, tt.hint)
		}
	}
}

// Each code of an import has a meaning.
func TestCodesHaveMeanings(t *testing.T) {
	for code := abi.ErrCode(-1); !strings.HasPrefix(code.String(), "code "); code-- {
		if codeMeanings[code] == "" {
			t.Errorf("%v has no meaning", code)
		}
	}
}

// An error of a stage is explained wherever it is printed.
func TestFailureOfAStageIsExplained(t *testing.T) {
	p := From(fmt.Errorf("stage %q: %w", "head", fmt.Errorf("output over 1,048,600 bytes (set limits.output)%w", silent{abi.ErrLimit})))
	if p.Code != "E_LIMIT" || !strings.Contains(p.Cause, "4 times its input") {
		t.Errorf("%+v", p)
	}
}

// silent is an error kind that adds no text to a message, like those of the host.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
