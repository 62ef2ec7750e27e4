package problem

import (
	"regexp"
	"strings"
)

// Advice is what helps the author of a guest that failed. Both may be empty.
type Advice struct {
	Cause string // what the reason means, and where to look
	Hint  string // the command that helps; DIR stands for the plugin folder
}

// In returns the advice for a folder whose path is known.
func (a Advice) In(dir string) Advice {
	a.Hint = strings.ReplaceAll(a.Hint, "DIR", Arg(dir))
	return a
}

// guestFault is a reason as the host gives it, and what it comes to in a language;
// without one, in each that has no line of its own above.
type guestFault struct {
	says     *regexp.Regexp
	language string
	Advice
}

// guestFaults are looked through from the first on. What a guest says itself, after
// "panic: ", is nowhere in them.
var guestFaults = []guestFault{
	{says(`set limits\.memory`), "", Advice{"it asked for more memory than a call has: read the content by spans instead of copying it, or give all calls more (limits.memory of the settings)",
		"mcpctl stage bench DIR --sizes 1K,16K"}},
	{says(`on the wall, twice its limit`), "", Advice{"other programs used the processors: the call did not get its processor time before twice the limit had passed on the wall. Run it again when the machine is idle, or give all calls more (limits.time of the settings)",
		"mcpctl config view --origin"}},
	{says(`set limits\.time`), "", Advice{"it computed for longer than a call may: a loop without an end, or work that grows faster than the content (limits.time of the settings)",
		"mcpctl stage bench DIR --sizes 1K,16K"}},
	{says(`limits\.output`), "", Advice{"a stage may write 4 times its input and 1 MiB more, 64 MiB at most; limits.output, in the settings or an entry of a proxymodel, can only lower that. Longer text of its own goes into derived sections",
		"mcpctl explain E_LIMIT"}},
	{says(`does not have the capability (\w+)`), "", Advice{"what a stage may ask for stands in plugin.yaml, and $1 does not: write capabilities: [$1], beside what is in the list already", "mcpctl stage dev DIR --once"}},
	{says(`^guest trapped: unreachable$`), "rust", Advice{"a panic of Rust, without its text: the module was built without the feature panic-message. stage dev builds with it; for good, delete default-features = false of mcpctl-stage in Cargo.toml. The reason is then the text of the panic, and the log has file and line",
		"mcpctl stage dev DIR --once"}},
	{says(`^guest trapped: unreachable$`), "assemblyscript", Advice{`unreachable() in AssemblyScript, or an abort without its text: delete "use": "abort=" in asconfig.json, and the reason has message, file and line. A debug build, as stage dev makes it, keeps every assert`,
		"mcpctl stage dev DIR --once"}},
	{says(`^guest trapped: unreachable$`), "c", Advice{"__builtin_trap, or what clang made of code that C leaves undefined: a function without its return, an index known to be wrong. mcpctl_log says how far it came",
		""}},
	{says(`^guest trapped: unreachable$`), "go", Advice{"Go's runtime ended the module: a panic, or memory that it could not get. Its message is the first of its lines in the log, its stack is in the others", "mcpctl explain E_GUEST"}},
	{says(`^guest trapped: unreachable$`), "tinygo", Advice{"the runtime of TinyGo ended the module: a panic, or memory that it could not get. Its message is in the log", "mcpctl explain E_GUEST"}},
	{says(`^guest trapped: unreachable$`), "", Advice{"the guest ended itself: a panic of Rust without its text (feature panic-message of mcpctl-stage), unreachable() of AssemblyScript, __builtin_trap of C",
		"mcpctl stage dev DIR --once"}},
	{says(`^guest aborted.* in ~lib/`), "assemblyscript", Advice{"the place is that of AssemblyScript's library, which noticed it: an index over the end, a null, memory that is used up. Lines of c.log before it say how far the stage came", ""}},
	{says(`^guest aborted`), "", Advice{"an assert, a throw or a check of AssemblyScript failed: it has no exceptions, so the call ends there", ""}},
	{says(`^guest trapped: stack overflow`), "", Advice{"calls within calls without an end, or large values on the stack: a text nests as deep as its author likes, so use a list of your own for what is open", ""}},
	{says(`^guest trapped: (out of bounds memory access|bad pointer)`), "", Advice{"a pointer or a length outside the guest's own memory: an index that was not checked, or a length below 0, which is a code of the host and no length", ""}},
	{says(`^guest trapped: integer divide by zero`), "", Advice{"a division by 0: often by a length of content that is empty", ""}},
	{says(`^guest was closed with status`), "go", Advice{"Go's runtime gave up: a deadlock of goroutines, a map written by two, os.Exit. What it printed is in the log", ""}},
	{says(`^module has no role "([^"]*)"$`), "go", Advice{`no init has made a function the stage of that name: func init() { stage.Register("$1", function) }`, "mcpctl stage dev DIR --once"}},
	{says(`^module has no controller (\S+)$`), "go", Advice{`no init has made hooks the controller of that name: func init() { controller.Register("$1", controller.Hooks{...}) }`, "mcpctl stage dev DIR --once"}},
	{says(`^module has no role "([^"]*)"$`), "rust", Advice{`no macro of src/lib.rs names a function for that role: stage!("$1", function); or an entry of roles!`, "mcpctl stage dev DIR --once"}},
	{says(`^no role$`), "assemblyscript", Advice{`no register("NAME", function) of assembly/index.ts has run with the name in plugin.yaml: it stands at the top level, behind what it names`, "mcpctl stage dev DIR --once"}},
	{says(`a decoded section needs the section`), "", Advice{"parts of a decoded string stand below the string: add a section over it first, from JSON().Span, and name that as their parent", ""}},
	{says(`^returned DONE without output$`), "", Advice{"content that stays as it is is passed on (return Pass); a result that is empty is one write of nothing", ""}},
	{says(`^returned DONE, manifest says transforms: false$`), "", Advice{"transforms: false in plugin.yaml promises that the stage only ever passes: delete that line, or return Pass", "mcpctl stage dev DIR --once"}},
}

func says(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// OfGuest is what helps about the reason of a failed run, in the language its module
// was written in, as inspect tells it; empty for one that is not known.
func OfGuest(reason, language string) Advice {
	for _, f := range guestFaults {
		if f.language != "" && f.language != language {
			continue
		}
		if m := f.says.FindStringSubmatchIndex(reason); m != nil {
			return Advice{string(f.says.ExpandString(nil, f.Cause, reason, m)), f.Hint}
		}
	}
	return Advice{}
}

// guestReason is the reason in what is said of a stage that failed.
var guestReason = regexp.MustCompile(`^(?:stage|filter|controller) "[^"]*": (.*)$`)

// failed adds what helps to what is said of a guest that failed, if nothing does yet.
func (p *Problem) failed() *Problem {
	m := guestReason.FindStringSubmatch(p.Message)
	if p.Hint != "" || m == nil {
		return p
	}
	return p.Advised(OfGuest(m[1], ""))
}

// Advised returns p with an advice, where it has no cause and no hint of its own.
func (p *Problem) Advised(a Advice) *Problem {
	q := *p
	if q.Cause == "" {
		q.Cause = a.Cause
	}
	if q.Hint == "" {
		q.Hint = a.Hint
	}
	return &q
}
