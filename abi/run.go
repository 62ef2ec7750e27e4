package abi

import (
	"fmt"
	"time"
)

// Call contains all values that one run of a stage or filter role can read. The cache
// key of a run is a hash of them: see "Caching" in docs/abi.md.
//
// Slices are shared, not copied: neither side modifies them.
type Call struct {
	Role      string
	Context   Context // buffer 3
	Config    []byte  // buffer 2: canonical JSON, defaults filled in
	Input     []byte  // buffer 0
	Marks     []Mark  // index marks in Input
	Original  []byte  // buffer 1
	Tree      Tree    // buffer 5: the Sections after the previous stage
	Arguments []byte  // buffer 8: a JSON object or empty; only for a role that reads them
	Session   string  // buffer 6: opaque; a run that touches it is not cached

	// LLMWaited is the time that earlier steps have waited for an LLM. Guests cannot
	// read it, and it is not part of the cache key.
	LLMWaited time.Duration
}

// Context is buffer 3, which the guest reads as JSON.
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

// GuestLimits are the limits of one call that the guest can read.
type GuestLimits struct {
	OutputBytes int `json:"outputBytes"`
	Sections    int `json:"sections"`
	MemoryBytes int `json:"memoryBytes"`
	LLMMillis   int `json:"llmMs"`
	LLMRequests int `json:"llmRequests"`

	// TimeMillis limits the processor time of the call; 0 means the host's limit.
	// Guests cannot read it, and results do not depend on it.
	TimeMillis int `json:"-"`
}

// Mark is a position where the host prints the index of a Section after the last stage
// (out_index). It has no bytes of its own.
type Mark struct {
	Offset  int // in the output that contains it
	Section int // index in the Tree, -1 for the top level
	Lines   int // 0: the host's setting
	Bytes   int // 0: the host's setting
}

// SectionKind is the kind of a Section, with the numbers of section records.
type SectionKind int

// The four section kinds.
const (
	SectionExact   SectionKind = 0 // bytes of the Original, served by offset
	SectionGroup   SectionKind = 1 // no bytes of its own
	SectionDecoded SectionKind = 2 // bytes of a decoded JSON string of the Original
	SectionDerived SectionKind = 3 // a stage's own text
)

// String returns the name of the kind in reports and fixtures.
func (k SectionKind) String() string {
	words := [...]string{SectionExact: "exact", SectionGroup: "group", SectionDecoded: "decoded", SectionDerived: "derived"}
	if k < 0 || int(k) >= len(words) {
		return fmt.Sprintf("section kind %d", int(k))
	}
	return words[k]
}

// Section is one addressable part of a Content.
//
// Start and End are byte offsets: in the Original for an exact Section, in the decoded
// string for a decoded one, 0 and len(Body) for a derived one, 0 and 0 for a group.
type Section struct {
	Parent  int // index in the Tree, less than its own; -1 at the top
	Kind    SectionKind
	Start   int
	End     int
	Literal [2]int // decoded only: [start, end) of the literal in the Original, quotes included
	ID      string // one path segment: escaped, unique among its siblings
	Title   string
	Summary string
	Body    []byte // derived only
}

// Tree contains the Sections of one Original, parents before children. The zero Tree has
// no Sections.
type Tree struct {
	Type     string // detected type: json-array, json-object, ndjson, markdown, prose, ...
	Syntax   string // how Sections are separated and named, as docs/authoring.md describes; may be empty
	Sections []Section
}

// Output is the result of one run of a role.
type Output struct {
	Pass    bool   // the content is unchanged; Bytes is nil
	Bytes   []byte // the new content, if not Pass
	Marks   []Mark // in Bytes if not Pass; else those of the Call
	Tree    Tree   // the tree after the run; the Call's own if the role added nothing
	Meta    map[string]string
	Log     []LogLine
	Private bool // the run read the session's name, so it is not cached

	// Provisional reports that an LLM answer was missing. The output is used but not
	// cached. Settled is closed when the background requests of the run have ended, so
	// that a second run has the answers; it is nil if there are none.
	Provisional bool
	Settled     <-chan struct{}

	Stats RunStats
}

// RunStats are the figures of one run.
type RunStats struct {
	Guest       time.Duration // inside the guest and its imports, without waiting for an LLM
	MemoryBytes int           // linear memory at the end of the run
	Fuel        int64         // instructions, as package fuel counts them: equal for equal inputs. 0 for a trusted module
	HostCalls   int
	LLMRequests int // sent, or answered with a stored answer
}

// LogLine is one line that a guest wrote with log, or to stdout or stderr.
type LogLine struct {
	Level string `json:"level"` // debug, info, warn, error
	Text  string `json:"text"`  // control characters escaped
}
