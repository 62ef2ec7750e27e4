package problem

// LanguageAdvice explains a trap of a module written in one language: its likely cause,
// and how to correct it.
type LanguageAdvice struct {
	Language string `json:"language"`
	Means    string `json:"means"`
	Help     string `json:"help"`
}

// guestLanguages is the advice of E_GUEST for each language of create stage.
var guestLanguages = []LanguageAdvice{
	{"go", "A panic: the reason is its text. Usual causes are an index out of range, a nil map and a failed type assertion. A module that exits with a status called os.Exit or had a deadlock.",
		"Check lengths before an index, use stage.Pass for content that does not fit, and return an error instead of a panic."},
	{"rust", "A panic: the reason is its text. \"unreachable\" alone means a build without the feature panic-message of mcpctl-stage.",
		"Replace unwrap with ? and [i] with get(i); keep the default features while you develop."},
	{"assemblyscript", "A failed check: an index out of range, a null, an assert or a throw. There are no exceptions, so the call ends there. Out of memory is reported as unreachable at the limit.",
		"stage dev makes a debug build, whose reason contains file and line. For memory use \"runtime\": \"incremental\" in asconfig.json, and write parts with c.out.write instead of joining them."},
	{"c", "__builtin_trap, a pointer or a length outside the memory of the guest, or undefined behaviour. A negative length is often a code of the host.",
		"Check every result below 0 before it is used as a length; mcpctl_log shows how far the stage came."},
}
