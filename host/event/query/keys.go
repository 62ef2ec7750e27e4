package query

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Word is a word of the language, for help and completion.
type Word struct {
	Name    string
	Example string // of keys: a complete token
	Meaning string
}

// Keys returns the keys, which a colon and a value follow, sorted by name.
func Keys() (list []Word) {
	for _, k := range keys {
		list = append(list, k.Word)
	}
	slices.SortFunc(list, byName)
	return list
}

// Flags returns the words that are not searched as text, sorted by name.
func Flags() (list []Word) {
	for name, f := range flags {
		list = append(list, Word{Name: name, Meaning: f.meaning})
	}
	slices.SortFunc(list, byName)
	return list
}

// Types returns the event types, for completion.
func Types() (list []string) {
	for _, t := range event.Types {
		list = append(list, string(t))
	}
	return list
}

func byName(a, b Word) int { return cmp.Compare(a.Name, b.Name) }

func keyNames() []string { return slices.Sorted(maps.Keys(keys)) }

const keyType = "type"

// key is a key with the parser of its values.
type key struct {
	Word
	parse func(key string, values part) (predicate, error)
}

var keys = indexKeys(
	nameKey("tool", "tool:github/list_*", "server/tool, or the tool alone; also a prompt or the URI of a resource", toolOf),
	nameKey("method", "method:tools/call", "MCP method", field(func(e *event.Event) string { return e.Method })),
	nameKey("session", "session:abc*", "session", field(func(e *event.Event) string { return e.Session })),
	nameKey("project", "project:demo", "project", field(func(e *event.Event) string { return e.Project })),
	nameKey("server", "server:github", "server", field(func(e *event.Event) string { return e.Server })),
	nameKey("stage", "stage:paginate", "stage or controller that ran", stageOf),
	nameKey("model", "model:default", "proxymodel that was used", modelOf),
	nameKey("section", "section:issues/*", "section that was read", field(func(e *event.Event) string { return e.Section })),
	nameKey("client", "client:claude-code", "client, with or without its version", clientOf),
	key{Word{keyType, "type:tool_call,section_read", "event type"}, parseNames(field(func(e *event.Event) string { return string(e.Type) }), checkType)},
	figureKey("saved", "<30%", "tokens that the client did not receive, in percent or as a number", append(units(savedTokens, countScales), unit{"%", 1, savedPercent})),
	figureKey("size", ">50k", "bytes that the server sent", units(positive(func(e *event.Event) int64 { return int64(e.InBytes) }), byteScales)),
	figureKey("out", ">50k", "bytes that the client received", units(positive(func(e *event.Event) int64 { return int64(e.OutBytes) }), byteScales)),
	figureKey("tokens", "1k..5k", "tokens that the client received (est.)", units(positive(func(e *event.Event) int64 { return int64(e.OutTokens) }), countScales)),
	figureKey("took", ">2s", "time from the request to the answer", units(positive(func(e *event.Event) int64 { return e.Micros }), durationScales)),
)

func indexKeys(list ...key) map[string]key {
	m := make(map[string]key, len(list))
	for _, k := range list {
		m[k.Name] = k
	}
	return m
}

func nameKey(name, example, meaning string, of func(*event.Event, func(string) bool) bool) key {
	return key{Word{name, example, meaning}, parseNames(of, nil)}
}

func figureKey(name, example, meaning string, list []unit) key {
	return key{Word{name, name + ":" + example, meaning}, parseFigures(example, list)}
}

// field returns a function that checks one field. Events without the field do not match.
func field(of func(*event.Event) string) func(*event.Event, func(string) bool) bool {
	return func(e *event.Event, is func(string) bool) bool {
		v := of(e)
		return v != "" && is(v)
	}
}

func toolOf(e *event.Event, is func(string) bool) bool {
	for _, name := range []string{e.Source, e.Called} {
		if name == "" {
			continue
		}
		if _, tool, ok := strings.Cut(name, "/"); is(name) || ok && is(tool) {
			return true
		}
	}
	return false
}

func clientOf(e *event.Event, is func(string) bool) bool {
	version := strings.LastIndexByte(e.Client, '/')
	return e.Client != "" && (is(e.Client) || version > 0 && is(e.Client[:version]))
}

func stageOf(e *event.Event, is func(string) bool) bool {
	if (e.Type == event.StageReloaded || e.Type == event.StageFailed) && e.Change != nil && is(e.Change.Name) {
		return true
	}
	return anyStage(e, func(s *flow.StageReport) bool { return is(s.Role) }) ||
		anyHook(e, func(h *flow.HookReport) bool { return is(h.Role) })
}

func modelOf(e *event.Event, is func(string) bool) bool {
	if e.Type == event.ModelSwitched && e.Change != nil && (is(e.Change.From) || is(e.Change.To)) {
		return true
	}
	return slices.ContainsFunc(e.Runs, func(r flow.RunReport) bool { return is(r.Model) })
}

func anyStage(e *event.Event, is func(*flow.StageReport) bool) bool {
	for _, r := range e.Runs {
		for i := range r.Stages {
			if is(&r.Stages[i]) {
				return true
			}
		}
	}
	return false
}

func anyHook(e *event.Event, is func(*flow.HookReport) bool) bool {
	for i := range e.Hooks {
		if is(&e.Hooks[i]) {
			return true
		}
	}
	return false
}

// positive returns a figure that events without a value do not have.
func positive(of func(*event.Event) int64) figure {
	return func(e *event.Event) (float64, bool) {
		v := of(e)
		return float64(v), v > 0
	}
}

func savedTokens(e *event.Event) (float64, bool) {
	return float64(e.InTokens - e.OutTokens), e.InTokens > 0 || e.OutTokens > 0
}

func savedPercent(e *event.Event) (float64, bool) {
	if e.InTokens <= 0 {
		return 0, false
	}
	return 100 * float64(e.InTokens-e.OutTokens) / float64(e.InTokens), true
}

// flag is the name of a property of an event.
type flag string

func (f flag) matches(s *subject) bool { return flags[string(f)].has(s.event) }
func (f flag) String() string          { return string(f) }

var flags = map[string]struct {
	meaning string
	has     func(*event.Event) bool
}{
	"held": {"the answer is or was held", func(e *event.Event) bool { return e.Hold != nil || e.Type == event.ContentPaused }},
	"edited": {"the answer was edited while it was held", func(e *event.Event) bool {
		return e.Type == event.ContentEdited || e.Hold != nil && e.Hold.Outcome == "edited"
	}},
	"dropped": {"the answer was dropped while it was held", func(e *event.Event) bool { return e.Hold != nil && e.Hold.Outcome == "dropped" }},
	"err":     {"the client received an error, or a stage or controller failed", failed},
	"cached":  {"a stage's output came from the cache", func(e *event.Event) bool { return hasOutcome(e, flow.OutcomeCached) }},
	"blocked": {"a filter withheld the answer", func(e *event.Event) bool { return hasOutcome(e, flow.OutcomeBlocked) }},
	"changed": {"the client received another result than the server sent", func(e *event.Event) bool { return e.Changed }},
	"llm": {"a stage or controller used an LLM", func(e *event.Event) bool {
		return anyStage(e, func(s *flow.StageReport) bool { return s.LLMRequests > 0 }) ||
			anyHook(e, func(h *flow.HookReport) bool { return h.LLMRequests > 0 })
	}},
}

func hasOutcome(e *event.Event, outcome string) bool {
	return anyStage(e, func(s *flow.StageReport) bool { return s.Outcome == outcome })
}

func failed(e *event.Event) bool {
	return e.IsError || e.Code != 0 || e.Error != "" || e.Type == event.StageFailed || e.Type == event.ConfigInvalid ||
		hasOutcome(e, flow.OutcomeFailed) || hasOutcome(e, flow.OutcomeBlocked) ||
		anyHook(e, func(h *flow.HookReport) bool { return h.Outcome == flow.OutcomeFailed })
}
