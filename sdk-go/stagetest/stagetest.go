// Package stagetest runs a stage in plain Go, without WebAssembly, so that its
// logic is tested with go test:
//
//	func TestLead(t *testing.T) {
//		got := stagetest.Run("lead", stagetest.Call{Input: "a\n---\nb"})
//		if got.Output != "a" {
//			t.Errorf("output %q, want %q", got.Output, "a")
//		}
//	}
//
// The test host has the checks and limits of the host: spans within the buffer and
// on UTF-8 boundaries, order and overlap of Sections, output that is UTF-8. It does
// not limit memory and time, and the memory is not new for each call.
package stagetest

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Call is the input of one run. The zero Call is an empty tool result.
type Call struct {
	Input    string
	Original string // empty means that it equals Input
	Config   string // JSON object with defaults; empty means {}
	Context  Context
	Sections []Section // of earlier stages; Text is read from Original
	Marks    []Mark    // of earlier stages in Input
	Session  string    // opaque name of the session

	// Arguments are those of the call, a JSON object. In the host they reach the stage
	// only if its manifest lists the capability "arguments".
	Arguments string

	// LLM answers requests; nil means that no LLM is configured.
	LLM func(Question) Reply

	// Cache has the cached values. Run adds the values that the stage stores, unless
	// it is nil.
	Cache    map[string]string
	CacheWay CacheWay
}

// Context is the context of a Call. The defaults are project "test", content type
// toolResult, source "server/tool", kind stage, the only text part, the only stage,
// and the host's default limits.
type Context struct {
	Project     string
	ContentType stage.ContentType
	Source      string
	MIME        string
	Hint        string
	Filter      bool // the role is a filter
	Part        stage.Part
	StagePos    stage.Position
	Limits      stage.Limits
}

// Outcome is the outcome of a run.
type Outcome string

// The outcomes.
const (
	Done Outcome = "done"
	Pass Outcome = "pass"
	Fail Outcome = "fail"
)

// Section is a Section of the drill-down tree.
type Section struct {
	Parent     int
	Kind       stage.SectionKind
	Start, End int
	Literal    stage.Span // decoded only: the literal in the original
	ID         string     // as in a path: escaped, unique among its siblings
	Title      string
	Summary    string
	Text       string // its bytes; empty for a group
}

// Mark is a position in the output at which the host prints an index.
type Mark struct {
	Offset, Section, Lines, Bytes int
}

// LogLine is a line of the log.
type LogLine struct {
	Level string // debug, info, warn, error
	Text  string
}

// Result is the result of a run. After Fail only Reason, Log and Kept are set.
type Result struct {
	Outcome     Outcome
	Reason      string // of Fail
	Output      string // of Done
	Marks       []Mark
	Sections    []Section
	Meta        map[string]string
	Kept        map[string]string // values that the run stored in the cache
	Log         []LogLine
	Provisional bool // an answer of the LLM was missing: the host does not cache the result
	Private     bool // it read the session: the host does not cache the result
}

// Run runs the stage that is registered for a role. Parallel runs wait for each other.
func Run(role string, c Call) Result {
	h := newHost(role, c)
	return h.result(testhost.Run(h, entry.Stage))
}

// host answers the imports of one call.
type host struct {
	testhost.Host
	noSession
	call     Call
	limits   stage.Limits
	out      []byte
	wrote    bool
	outLimit bool
	marks    []Mark
	tree     tree
}

func newHost(role string, c Call) *host {
	if c.Original == "" {
		c.Original = c.Input
	}
	if c.Config == "" {
		c.Config = "{}"
	}
	if c.Cache == nil {
		c.Cache = map[string]string{}
	}
	c.Context = c.Context.withDefaults(len(c.Input))
	exact, input := testhost.Source{Kind: stage.Exact}, testhost.Source{Kind: stage.Derived, Input: true}
	if c.Input == c.Original {
		input.Kind = stage.Exact
	}
	h := &host{call: c, limits: c.Context.Limits, Host: testhost.New(map[int32]*testhost.Buffer{
		raw.BufInput:     {Bytes: []byte(c.Input), From: input},
		raw.BufOriginal:  {Bytes: []byte(c.Original), From: exact},
		raw.BufConfig:    testhost.Text([]byte(c.Config)),
		raw.BufContext:   testhost.Text(c.Context.json(role)),
		raw.BufName:      testhost.Text([]byte(c.Context.Source)),
		raw.BufSession:   testhost.Text([]byte(c.Session)),
		raw.BufArguments: testhost.Text([]byte(c.Arguments)),
	})}
	h.LLMRequests, h.Records = h.limits.LLMRequests, h.tree.records
	h.Cache, h.CacheWay = c.Cache, testhost.CacheWay(c.CacheWay)
	if c.LLM != nil {
		h.LLM = func(q testhost.Question) testhost.Reply { return testhost.Reply(c.LLM(Question(q))) }
	}
	h.tree.start(c.Sections, c.Original)
	return h
}

// result returns the result of a call, with the checks of the host.
func (h *host) result(code int32) Result {
	r := Result{Log: logLines(h.LogLines()), Kept: h.Kept, Private: h.Private}
	reason := h.verdict(code)
	h.tree.settle()
	if reason == "" {
		reason = h.tree.findOverlap()
	}
	if reason != "" {
		r.Outcome, r.Reason = Fail, reason
		return r
	}
	r.Outcome, r.Marks = Pass, h.call.Marks
	if code == raw.ReturnDone {
		r.Outcome, r.Output, r.Marks = Done, string(h.out), h.marks
	}
	r.Sections, r.Meta, r.Provisional = h.tree.sections, h.Meta, h.Provisional()
	return r
}

// BufLen returns the length of the records without creating them.
func (h *host) BufLen(buf int32) int32 {
	if buf == raw.BufSections {
		return int32(len(h.tree.sections) * raw.SectionRecordSize)
	}
	return h.Host.BufLen(buf)
}

func logLines(lines []testhost.LogLine) []LogLine {
	var list []LogLine
	for _, l := range lines {
		list = append(list, LogLine(l))
	}
	return list
}
