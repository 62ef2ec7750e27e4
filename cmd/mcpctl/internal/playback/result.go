// Package playback plays recordings of sessions through proxymodels, without the servers
// of the sessions.
//
// Play is one replay; Result is its outcome. The requests take the path of live traffic
// in a copy of the home; only the servers' answers come from the recording.
package playback

import "time"

// Result is the outcome of a recording with one proxymodel. Tokens are estimates.
type Result struct {
	Model      string `json:"proxyModel"`
	IsRecorder bool   `json:"isRecorder,omitempty"` // the session was recorded with it

	Calls    int `json:"calls"`          // requests with content: tools, prompts, resources
	Original int `json:"originalTokens"` // of the servers' results
	Sent     int `json:"sentTokens"`     // of the first answers

	Reads       int       `json:"reads"`             // answers of read_section
	ReadTokens  int       `json:"readTokens"`        // of these answers
	Sections    []Section `json:"sections"`          // content that the client has read
	ToSection   int       `json:"toSectionTokens"`   // mean of Sections
	Unreachable int       `json:"unreachable"`       // of Sections
	Outside     int       `json:"outside,omitempty"` // reads of results that are not in the recording
	Refused     int       `json:"refused"`           // calls that this proxymodel does not offer, or that have no recorded answer
	LLMCalls    int       `json:"llmCalls"`          // requests to an LLM
	Bytes       int       `json:"bytes"`             // of all answers' texts
	Time        Duration  `json:"timeNs"`            // of all requests
	Again       Duration  `json:"againNs,omitempty"` // of the calls a second time

	Identity *Identity `json:"identity,omitempty"` // only of the recorder's proxymodel
}

// Duration is a time.Duration.
type Duration = time.Duration

// Section is content that the recorded client has read with read_section.
type Section struct {
	Tool    string  `json:"tool"` // whose result it is from
	Section string  `json:"section"`
	Bytes   *[2]int `json:"bytes,omitempty"` // [start, end) in the original
	Size    int     `json:"size"`            // bytes
	Tokens  int     `json:"tokens"`          // of the first answer and the answer that contains it
	By      string  `json:"by"`              // one of the values below
}

// Values of Section.By: how the same bytes were reached.
const (
	BySection   = "section"     // by the recorded section
	ByFirst     = "answer"      // they are in the first answer
	ByRange     = "range"       // by their range, because the proxymodel has no such section
	Unreachable = "unreachable" // not at all
)

// Identity compares the answers with the recorded ones.
type Identity struct {
	Compared  int      `json:"compared"`
	Identical int      `json:"identical"`
	Different []uint64 `json:"different,omitempty"`    // request numbers
	Refs      bool     `json:"refsReplaced,omitempty"` // the recording is from another home: refs were compared by their position
	Changed   []string `json:"changed,omitempty"`      // what has changed since the recording
}

// IsWhole reports whether all answers are identical.
func (i *Identity) IsWhole() bool { return i.Identical == i.Compared }

// finish sets the figures that follow from others.
func (r *Result) finish() {
	sum, n := 0, 0
	for _, s := range r.Sections {
		if s.By == Unreachable {
			r.Unreachable++
			continue
		}
		sum, n = sum+s.Tokens, n+1
	}
	if n > 0 {
		r.ToSection = sum / n
	}
}
