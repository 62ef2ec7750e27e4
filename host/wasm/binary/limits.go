package binary

// Limits on the counts in a file, which a reader of it would allocate for. Generated
// parsers have up to 1,900 blocks inside each other.
const (
	maxSections = 1_000 // custom ones included
	maxTypes    = 20_000
	maxParams   = 1_000
	maxResults  = 100    // each call and each branch with a value costs the compiler as much
	maxBranches = 65_536 // targets of one br_table

	// MaxNesting is the number of blocks inside each other.
	MaxNesting = 2_500
)
