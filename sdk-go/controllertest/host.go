package controllertest

import (
	"maps"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// host answers the imports of one hook. It keeps the effects of the hook until the hook
// has succeeded.
type host struct {
	testhost.Host
	noSections
	s      *Session
	name   string // of the hook
	limits stage.Limits
	out    output

	state   map[string]*string // nil means deleted
	edits   edits
	rewrite *Rewrite
	notes   []Note
}

// outcome has the results of a hook.
type outcome struct {
	effects Effects
	edits   edits
}

// hook runs a hook and applies the effects that concern later hooks.
func (s *Session) hook(name, input string, c *call, r *controller.Result) outcome {
	h := s.newHost(name, input, c, r)
	code := testhost.Run(h, func() int32 { return entry.Hook(name) })
	e := Effects{Log: logLines(h.LogLines()), Kept: h.Kept}
	done := code == raw.ReturnDone && h.canAnswer()
	if e.Reason = h.failure(code, done); e.Reason != "" {
		e.Outcome = stagetest.Fail
		return outcome{effects: e}
	}
	e.Outcome = stagetest.Pass
	if done {
		e.Outcome, e.Answer, e.Kind = stagetest.Done, string(h.out.answer), h.out.kind
	} else {
		e.Rewrite = h.rewrite
	}
	e.Before, e.After = h.out.blocksOf(raw.OutBefore), h.out.blocksOf(raw.OutAfter)
	e.Notes, e.Meta, e.Provisional = h.notes, h.Meta, h.Provisional()
	s.commitState(h.state)
	return outcome{e, h.edits}
}

func (s *Session) newHost(name, input string, c *call, r *controller.Result) *host {
	if s.Cache == nil {
		s.Cache = map[string]string{}
	}
	config, session := s.Config, s.Name
	testhost.SetDefault(&config, "{}")
	testhost.SetDefault(&session, "session")
	h := &host{s: s, name: name, limits: testhost.WithDefaults(s.Limits, len(input)), state: map[string]*string{}}
	label, client := "", []byte(nil)
	if c != nil {
		label, client = c.tool.Name, c.client
	}
	h.Host = testhost.New(map[int32]*testhost.Buffer{
		raw.BufInput:    testhost.Text([]byte(input)),
		raw.BufOriginal: testhost.Text([]byte(input)),
		raw.BufConfig:   testhost.Text([]byte(config)),
		raw.BufContext:  testhost.Text(s.context(name, h.limits, c, r)),
		raw.BufName:     testhost.Text([]byte(label)),
		raw.BufSession:  testhost.Text([]byte(session)),
		raw.BufCall:     testhost.Text(client),
	})
	h.LLMRequests = h.limits.LLMRequests
	h.Cache, h.CacheWay = s.Cache, testhost.CacheWay(s.CacheWay)
	if s.LLM != nil {
		h.LLM = func(q testhost.Question) testhost.Reply { return testhost.Reply(s.LLM(stagetest.Question(q))) }
	}
	return h
}

// commitState commits the changes of a hook to the state.
func (s *Session) commitState(changes map[string]*string) {
	if s.State == nil {
		s.State = map[string]string{}
	}
	for key, value := range changes {
		if value == nil {
			delete(s.State, key)
			continue
		}
		s.State[key] = *value
	}
}

// newState returns the state with the changes of this hook.
func (h *host) newState() map[string]string {
	all := Session{State: maps.Clone(h.s.State)}
	all.commitState(h.state)
	return all.State
}

// isCall reports whether the hook is one of the two call hooks.
func (h *host) isCall() bool {
	return h.name == controller.OnToolCall || h.name == controller.OnToolResult
}

// canAnswer reports whether the hook can answer.
func (h *host) canAnswer() bool { return h.isCall() || h.name == controller.OnInitialize }

func logLines(lines []testhost.LogLine) []stagetest.LogLine {
	var list []stagetest.LogLine
	for _, l := range lines {
		list = append(list, stagetest.LogLine(l))
	}
	return list
}
