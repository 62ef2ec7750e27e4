package abi

import (
	"fmt"
	"time"
)

// Call is all that one run of a stage or filter role can see, and nothing else:
// the cache key of a run is a hash over it (docs: ABI section 9).
//
// Slices are shared, not copied: neither side modifies them.
type Call struct {
	Role     string
	Context  Context // buffer 3
	Config   []byte  // buffer 2: canonical JSON, defaults filled in
	Input    []byte  // buffer 0
	Marks    []Mark  // index marks lying in Input
	Original []byte  // buffer 1
	Tree     Tree    // buffer 5: what the previous stage left
	Session  string  // buffer 6: opaque; a run that touches it is not cached

	// LLMWaited is what earlier steps on the same way have used of the time for
	// waiting for an LLM. No guest sees it, and it is no part of the key.
	LLMWaited time.Duration
}

// Context is buffer 3, as the guest reads it in JSON.
type Context struct {
	ABI         string      `json:"abi"`
	Role        string      `json:"role"`
	RoleIndex   int         `json:"roleIndex"`
	Kind        RoleKind    `json:"kind"`
	Hook        string      `json:"hook"`
	Project     string      `json:"project"`
	ContentType ContentType `json:"contentType"`
	Source      string      `json:"source"`
	MIME        string      `json:"mime"`
	Hint        string      `json:"hint"`
	Part        Part        `json:"part"`
	Stage       StagePos    `json:"stage"`
	Limits      GuestLimits `json:"limits"`
}

// StagePos is the position of a stage among those of its pipeline.
type StagePos struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// GuestLimits are the limits of one call, as the guest is told.
type GuestLimits struct {
	OutputBytes int `json:"outputBytes"`
	Sections    int `json:"sections"`
	MemoryBytes int `json:"memoryBytes"`
	LLMMillis   int `json:"llmMs"`
	LLMRequests int `json:"llmRequests"`

	// TimeMillis is the processor time of the call; 0: the host's. A guest is not
	// told, and a result does not depend on it.
	TimeMillis int `json:"-"`
}

// Mark is a place where the host prints the index of a Section after the last
// stage (out_index). It has no bytes of its own.
type Mark struct {
	Offset  int // in the output it lies in
	Section int // index in the Tree, -1 for the top level
	Lines   int // 0: the host's setting
	Bytes   int // 0: the host's setting
}

// SectionKind is the kind of a Section; the numbers are those of section_add.
type SectionKind int

// The four section kinds.
const (
	SectionExact   SectionKind = 0 // bytes of the Original, served by offset
	SectionGroup   SectionKind = 1 // no bytes of its own
	SectionDecoded SectionKind = 2 // bytes of a decoded JSON string of the Original
	SectionDerived SectionKind = 3 // a stage's own text
)

// String is the word that reports and fixtures have for a kind.
func (k SectionKind) String() string {
	words := [...]string{SectionExact: "exact", SectionGroup: "group", SectionDecoded: "decoded", SectionDerived: "derived"}
	if k < 0 || int(k) >= len(words) {
		return fmt.Sprintf("section kind %d", int(k))
	}
	return words[k]
}

// Section is one addressable part of a Content.
//
// Units: Start and End are bytes: of the Original for an exact one, of the
// decoded string for a decoded one, 0 and len(Body) for a derived one, 0 and 0
// for a group.
type Section struct {
	Parent  int // index in the Tree, less than its own; -1 at the top
	Kind    SectionKind
	Start   int
	End     int
	Literal [2]int // decoded only: [start, end) of the literal in the Original, quotes included
	ID      string // one path segment as it is offered: escaped, unique among its siblings
	Title   string
	Summary string
	Body    []byte // derived only
}

// Tree is the sections of one Original, parents before children. The zero Tree
// is one without sections.
type Tree struct {
	Type     string // detected type: json-array, json-object, ndjson, markdown, prose, ...
	Sections []Section
}

// Output is what one run of a role left.
type Output struct {
	Pass    bool   // the content is unchanged; Bytes is nil
	Bytes   []byte // the new content, if not Pass
	Marks   []Mark // in Bytes if not Pass; else those of the Call
	Tree    Tree   // the tree after the run; the Call's own if the role added nothing
	Meta    map[string]string
	Log     []LogLine
	Private bool // the run touched the session's name: not cacheable

	// Provisional: an LLM answer was missing. The output is served, not cached.
	// Settled is closed when the run's background requests have ended; a second
	// run then has the answers. Nil if there are none.
	Provisional bool
	Settled     <-chan struct{}

	Stats RunStats
}

// RunStats are the figures of one run.
type RunStats struct {
	Guest       time.Duration // inside the guest and its imports, waits for an LLM excluded
	MemoryBytes int           // linear memory at the end of the run
	HostCalls   int
}

// LogLine is one line a guest wrote with log, or to stdout or stderr.
type LogLine struct {
	Level string `json:"level"` // debug, info, warn, error
	Text  string `json:"text"`  // control characters escaped
}
