package problem

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Advice explains an error to its reader. Both fields may be empty.
type Advice struct {
	Cause string // the meaning of the error, and where to look
	Hint  string // a command that helps; DIR is a placeholder for the plugin directory
}

// In returns the advice with the path of the plugin directory filled in.
func (a Advice) In(dir string) Advice {
	a.Hint = strings.ReplaceAll(a.Hint, "DIR", Arg(dir))
	return a
}

// guestFault is advice for the reasons that match a pattern. It applies to modules in
// one language, or in any language if language is empty.
type guestFault struct {
	pattern  *regexp.Regexp
	language string
	Advice
}

// guestFaults are tried in order; the first match wins. No pattern matches the text of
// a guest's own panic, which follows "panic: ".
var guestFaults = []guestFault{
	{match(`^(?:module "[^"]*": )?(?:_initialize|start) trapped .*set limits\.(?:time|memory)\)$`), "", Advice{"the initialization of the module, which runs before any call, exceeded the limit: an infinite loop, or large data, in an init function, a constructor or a global variable",
		"mcpctl explain E_LIMIT"}},
	{match(`set limits\.memory`), "", Advice{"the guest requested more memory than a call has: read the content by spans instead of copying it, or raise the limit for all calls (limits.memory in the settings)",
		"mcpctl stage bench DIR --sizes 1K,16K"}},
	{match(`on the wall, twice its limit`), "", Advice{"other programs used the processors: twice the time limit passed before the call had used its processor time. It may also be an infinite loop. Run it again when the machine is idle, or raise the limit for all calls (limits.time in the settings)",
		"mcpctl config view --origin"}},
	{match(`set limits\.time`), "", Advice{"the guest computed for longer than a call may: an infinite loop, or work that grows faster than the content (limits.time in the settings)",
		"mcpctl stage bench DIR --sizes 1K,16K"}},
	{match(`limits\.output`), "", Advice{"a stage may write 4 times its input plus 1 MiB, 64 MiB at most; limits.output, in the settings or an entry of a proxymodel, can only lower that. Write longer text into derived sections",
		"mcpctl explain E_LIMIT"}},
	{match(`does not have the capability (\w+)`), "", Advice{"plugin.yaml does not list the capability $1: add it to capabilities: [$1]", "mcpctl stage dev DIR --once"}},
	{match(`^guest trapped: unreachable$`), "rust", Advice{"a panic of Rust, without its text: the module was built without the feature panic-message. stage dev builds with it; to enable it permanently, delete default-features = false of mcpctl-stage in Cargo.toml. The reason is then the text of the panic, and the log contains file and line",
		"mcpctl stage dev DIR --once"}},
	{match(`^guest trapped: unreachable$`), "assemblyscript", Advice{`unreachable() in AssemblyScript, or an abort without its text: delete "use": "abort=" in asconfig.json, and the reason contains message, file and line. The debug build of stage dev keeps every assert`,
		"mcpctl stage dev DIR --once"}},
	{match(`^guest trapped: unreachable$`), "c", Advice{"__builtin_trap, or undefined behaviour that clang compiled to a trap: a missing return, an index out of range. Add mcpctl_log calls to locate it",
		""}},
	{match(`^guest trapped: unreachable$`), "go", Advice{"Go's runtime ended the module: a panic, or a failed memory allocation. Its message is its first line in the log, followed by the stack", "mcpctl explain E_GUEST"}},
	{match(`^guest trapped: unreachable$`), "tinygo", Advice{"the runtime of TinyGo ended the module: a panic, or a failed memory allocation. Its message is in the log", "mcpctl explain E_GUEST"}},
	{match(`^guest trapped: unreachable$`), "", Advice{"the guest ended itself: a panic of Rust without its text (feature panic-message of mcpctl-stage), unreachable() of AssemblyScript, __builtin_trap of C",
		"mcpctl stage dev DIR --once"}},
	{match(`^guest aborted.* in ~lib/`), "assemblyscript", Advice{"the position is in AssemblyScript's library, which detected the error: an index out of range, a null, or no more memory. Add c.log calls to locate the cause in the stage", ""}},
	{match(`^guest aborted`), "", Advice{"an assert, a throw or a runtime check of AssemblyScript; it has no exceptions, so the call ends there", ""}},
	{match(`^guest trapped: stack overflow`), "", Advice{"infinite recursion, or large values on the stack: content may be nested to any depth, so use an explicit stack instead of recursion", ""}},
	{match(`^guest trapped: (out of bounds memory access|bad pointer)`), "", Advice{"a pointer or a length outside the guest's own memory: an unchecked index, a negative length, which is an error code of the host, or a full stack, which a language may keep there: recursion without end, or large local variables", ""}},
	{match(`^guest trapped: integer divide by zero`), "", Advice{"a division by 0, often by the length of empty content", ""}},
	{match(`^guest was closed with status`), "go", Advice{"Go's runtime exited: a deadlock of goroutines, concurrent map writes, or os.Exit. Its output is in the log", ""}},
	{match(`^module has no role "([^"]*)"$`), "go", Advice{`no init function registers a stage of that name: func init() { stage.Register("$1", function) }`, "mcpctl stage dev DIR --once"}},
	{match(`^module has no controller (\S+)$`), "go", Advice{`no init function registers a controller of that name: func init() { controller.Register("$1", controller.Hooks{...}) }`, "mcpctl stage dev DIR --once"}},
	{match(`^module has no role "([^"]*)"$`), "rust", Advice{`no macro in src/lib.rs declares a function for that role: stage!("$1", function); or an entry of roles!`, "mcpctl stage dev DIR --once"}},
	{match(`^no role$`), "assemblyscript", Advice{`assembly/index.ts does not call register("NAME", function) with the name in plugin.yaml: call it at the top level, after the function`, "mcpctl stage dev DIR --once"}},
	{match(`^(?:record \d+: )?\w+: (?:span -?\d+ to -?\d+ is outside of the buffer|length -\d+, want -1)`), "", Advice{"offsets and lengths are bytes of the buffer, and a length of -1 means to its end: check them against buf_len, or the length of the SDK's text, and check the result of each search, which is negative if it found nothing", ""}},
	{match(`a decoded section needs the section`), "", Advice{"the parent of sections of a decoded string is the section of the string: add a section over it first, from JSON().Span, and use it as their parent", ""}},
	{match(`^returned DONE without output$`), "", Advice{"to leave content unchanged, return Pass; to produce an empty result, write an empty string", ""}},
	{match(`^returned DONE, the manifest declares transforms: false$`), "", Advice{"transforms: false in plugin.yaml declares that the stage always passes: delete that line, or return Pass", "mcpctl stage dev DIR --once"}},
}

// returnedCode matches the reason of a guest that returned a negative number.
var returnedCode = regexp.MustCompile(`^returned (-[0-9]+), want 0, 1 or 2$`)

// codeMeanings are the meanings of the codes that imports return.
var codeMeanings = map[abi.ErrCode]string{
	abi.CodeNotFound:    "there is no such key, pointer, index or name, or nothing was found",
	abi.CodeBadArg:      "an argument is invalid, such as a handle, an offset, a pattern or a value",
	abi.CodeLimit:       "a limit was reached and nothing was done",
	abi.CodeUnavailable: "it is not configured, or currently unavailable",
	abi.CodeDenied:      "it is not granted to this role",
	abi.CodeTimeout:     "it was not ready within its time",
	abi.CodeUpstream:    "the LLM answered with an error or in the wrong format",
	abi.CodeUnsupported: "it is not possible in this role, hook or phase",
	abi.CodeConflict:    "the name is taken",
}

func match(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// GuestAdvice returns the advice for the reason of a failed run. language is the language
// of the module, as stage inspect prints it. The advice is empty for an unknown reason.
func GuestAdvice(reason, language string) Advice {
	if m := returnedCode.FindStringSubmatch(reason); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if code := abi.ErrCode(n); err == nil && codeMeanings[code] != "" {
			return Advice{fmt.Sprintf("%d is %v, the result of an import: %s. Check the result of each import; in C, mcpctl_done turns a code into a failure with a reason", n, code, codeMeanings[code]), ""}
		}
	}
	for _, f := range guestFaults {
		if f.language != "" && f.language != language {
			continue
		}
		if m := f.pattern.FindStringSubmatchIndex(reason); m != nil {
			return Advice{string(f.pattern.ExpandString(nil, f.Cause, reason, m)), f.Hint}
		}
	}
	return Advice{}
}

// guestReason matches the message of a failed role or module and captures the reason.
var guestReason = regexp.MustCompile(`^(?:stage|filter|controller|module) "[^"]*": (.*)$`)

// adviseGuest adds advice to the error of a failed guest, unless p has a hint.
func (p *Problem) adviseGuest() *Problem {
	m := guestReason.FindStringSubmatch(p.Message)
	if p.Hint != "" || m == nil {
		return p
	}
	return p.WithAdvice(GuestAdvice(m[1], ""))
}

// WithAdvice returns p with the cause and the hint of a where p has none.
func (p *Problem) WithAdvice(a Advice) *Problem {
	q := *p
	if q.Cause == "" {
		q.Cause = a.Cause
	}
	if q.Hint == "" {
		q.Hint = a.Hint
	}
	return &q
}
