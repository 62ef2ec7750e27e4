package flow

// Outcomes of a StageReport; a HookReport has no cached and no blocked.
const (
	OutcomeDone    = "done"
	OutcomePass    = "pass"
	OutcomeCached  = "cached"
	OutcomeFailed  = "failed"
	OutcomeBlocked = "blocked"
)
