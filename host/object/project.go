package object

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Values of ProjectSpec.ProxyMode and ToolNames.
const (
	ModeDirect    = "direct" // only the client's configuration is written
	ModeProxy     = "proxy"
	NamesPrefixed = "prefixed" // server__tool
	NamesBare     = "bare"     // the tool names of the project's only server
)

// Values of ProjectSpec.Protocol.
const (
	ProtocolAny       = "any"        // the version that the client asks for
	ProtocolSessions  = "2025-11-25" // the newest version with sessions, and earlier ones
	ProtocolStateless = "2026-07-28" // the version without sessions
)

// Values of ProjectSpec.Audit.
const (
	AuditBestEffort = "best-effort" // a call is made even if it cannot be recorded
	AuditStrict     = "strict"      // a call that cannot be recorded is refused
)

// DefaultProxyModel is the ProxyModel of a Project that does not set one.
const DefaultProxyModel Name = "default"

// Project is a set of Servers and a ProxyModel. A client connects to one Project.
type Project struct {
	header
	Spec ProjectSpec
}

// ProjectSpec is the configuration of a Project.
type ProjectSpec struct {
	ProxyMode   string // ModeDirect or ModeProxy, the default
	Servers     []Ref
	Gated       *bool // nil if not set, see IsGated
	ProxyModel  Ref   // default DefaultProxyModel
	Overrides   Overrides
	Tools       ToolChoice
	ToolNames   string  // NamesPrefixed, the default, or NamesBare
	Protocol    string  // ProtocolAny, the default, ProtocolSessions or ProtocolStateless
	LLMProvider *string // nil inherits, "none" disables the LLM
	Recording   bool    // the requests and answers of its sessions are written to disk

	// Audit and AuditArguments are what a team server records of calls in the project.
	Audit          string // AuditBestEffort, the default, or AuditStrict
	AuditArguments bool   // the arguments of tools, and not only a hash of them

	MaxAnswerTokens *int // nil if not set, see AnswerLimit
}

// Overrides select other ProxyModels for single sources. Each list is in the order of
// the file.
type Overrides struct {
	Prompts     []Override // Pattern is the name of a prompt
	ToolResults []Override // Pattern is a glob for server/tool
	Resources   []Override // Pattern is a glob for the URI
}

// Override is the ProxyModel for the sources that match Pattern.
type Override struct {
	Pattern string
	Model   Ref
	At      strictyaml.Position // of the pattern
}

// ToolChoice selects the tools of servers that a Project offers. Each list is in the order
// of the file.
type ToolChoice struct {
	Allow []ToolPattern // if not empty, only matching tools are offered
	Deny  []ToolPattern // matching tools are not offered, even if Allow matches
}

// ToolPattern is a glob for server/tool.
type ToolPattern struct {
	Text string
	At   strictyaml.Position
}

// For returns the list for a content type.
func (o Overrides) For(t abi.ContentType) []Override {
	switch t {
	case abi.Prompt:
		return o.Prompts
	case abi.Resource:
		return o.Resources
	}
	return o.ToolResults
}

// PinnedProtocol returns ProtocolSessions or ProtocolStateless if clients may speak no other
// kind of version, otherwise "".
func (p *Project) PinnedProtocol() string {
	if p.Spec.Protocol == ProtocolAny {
		return ""
	}
	return p.Spec.Protocol
}

// IsGated reports whether sessions begin with begin_session. This is the default.
func (p *Project) IsGated() bool { return p.Spec.Gated == nil || *p.Spec.Gated }

// DefaultMaxAnswerTokens is the limit of a Project that does not set one. MinAnswerTokens is
// the lowest limit: an index takes up to 1,000 tokens and a line that explains it.
const (
	DefaultMaxAnswerTokens = 10_000
	MinAnswerTokens        = 2_000
	maxMaxAnswerTokens     = 100_000_000
)

// AnswerLimit returns the estimated tokens above which an answer that no stage has indexed
// is replaced by an index; 0 means no limit.
func (p *Project) AnswerLimit() int {
	if p.Spec.MaxAnswerTokens == nil {
		return DefaultMaxAnswerTokens
	}
	return *p.Spec.MaxAnswerTokens
}

func readProject(m *strictyaml.Mapping, h header) *Project {
	p := &Project{header: h}
	if h.key.Name == SystemProject {
		e := m.Fail(h.at, "metadata.name", "%q is reserved for the texts of the gate, choose another name", SystemProject)
		e.Hint = "mcpctl get prompts --project " + string(SystemProject)
	}
	p.Spec.ProxyMode = readProxyMode(m)
	p.Spec.Servers = readRefs(m, "servers")
	if gated, ok := m.Get("gated"); ok && m.HasType(gated, "gated", strictyaml.Bool) {
		isGated := gated.Text == "true"
		p.Spec.Gated = &isGated
	}
	p.Spec.ProxyModel = Ref{DefaultProxyModel, m.Value().At}
	if v, ok := m.Get("proxyModel"); ok {
		p.Spec.ProxyModel = Ref{ReadName(m, v, "proxyModel"), v.At}
	}
	p.Spec.Audit = m.Word("audit", AuditBestEffort, AuditBestEffort, AuditStrict)
	p.Spec.AuditArguments = m.Bool("auditArguments", false)
	p.Spec.Overrides = readOverrides(m)
	p.Spec.Tools = readToolChoice(m)
	p.Spec.ToolNames = m.Word("toolNames", NamesPrefixed, NamesPrefixed, NamesBare)
	p.Spec.Protocol = m.Word("protocol", ProtocolAny, ProtocolAny, ProtocolSessions, ProtocolStateless)
	if p.Spec.ToolNames == NamesBare && len(p.Spec.Servers) > 1 {
		bare, _ := m.Value().Lookup("toolNames")
		m.Fail(bare.At, "toolNames", "bare needs a project with one server, this one has %d", len(p.Spec.Servers))
	}
	if llm, ok := m.Get("llmProvider"); ok && m.HasType(llm, "llmProvider", strictyaml.String) {
		if llm.Text == "" {
			m.Fail(llm.At, "llmProvider", `is empty, want a provider's name, "none" or null`)
		}
		p.Spec.LLMProvider = &llm.Text
	}
	if recording, ok := m.Get("recording"); ok && m.HasType(recording, "recording", strictyaml.Bool) {
		p.Spec.Recording = recording.Text == "true"
	}
	p.Spec.MaxAnswerTokens = readAnswerLimit(m)
	m.Done()
	return p
}

// readAnswerLimit reads the limit: 0, or a number that an index and its last line fit in.
func readAnswerLimit(m *strictyaml.Mapping) *int {
	v, ok := m.Get("maxAnswerTokens")
	if !ok {
		return nil
	}
	n := m.Int("maxAnswerTokens", DefaultMaxAnswerTokens, 0, maxMaxAnswerTokens)
	if n > 0 && n < MinAnswerTokens {
		m.Fail(v.At, "maxAnswerTokens", "is %d, want 0 for no limit, or at least %d: an index takes up to 1000 tokens", n, MinAnswerTokens)
	}
	return &n
}

// readProxyMode reads the mode. "filtered" is an old name of proxy.
func readProxyMode(m *strictyaml.Mapping) string {
	v, ok := m.Value().Lookup("proxyMode")
	if ok && v.Type == strictyaml.String && v.Text == "filtered" {
		m.Register("proxyMode")
		m.Warn(v.At, "proxyMode", "filtered is the old name of proxy, write proxy")
		return ModeProxy
	}
	return m.Word("proxyMode", ModeProxy, ModeDirect, ModeProxy)
}

func readOverrides(m *strictyaml.Mapping) Overrides {
	v, ok := m.Get("proxyModelOverrides")
	if !ok {
		return Overrides{}
	}
	o := m.Mapping(v, "proxyModelOverrides")
	out := Overrides{Prompts: readOverrideList(o, "prompts"), ToolResults: readOverrideList(o, "toolResults"), Resources: readOverrideList(o, "resources")}
	for _, p := range out.Prompts {
		if p.Pattern == "" || strings.ContainsAny(p.Pattern, "*?") {
			o.Fail(p.At, o.Path("prompts"), "%q is not the name of a prompt; wildcards are not supported here", strictyaml.Clip(p.Pattern, 80))
		}
	}
	for _, t := range out.ToolResults {
		checkToolPattern(o, t.At, o.Path("toolResults"), t.Pattern)
	}
	o.Done()
	return out
}

// toolPatternFor returns the globs that were probably meant by the name of a tool or server.
func toolPatternFor(name string) string {
	if server, tool, isWire := strings.Cut(name, "__"); isWire {
		return strconv.Quote(server + "/" + tool)
	}
	if name == "" {
		return `"SERVER/*" or "*/TOOL"`
	}
	return strconv.Quote("*/"+name) + " for a tool, or " + strconv.Quote(name+"/*") + " for a server"
}

// checkToolPattern reports a glob that cannot match any server/tool.
func checkToolPattern(m *strictyaml.Mapping, at strictyaml.Position, path, pattern string) (ok bool) {
	if i := strings.IndexAny(pattern, `[]{}\`); i >= 0 {
		m.Fail(at, path, "%q contains %q, which no tool name contains; wildcards are * and ?", strictyaml.Clip(pattern, 80), pattern[i:i+1])
		return false
	}
	if !strings.ContainsAny(pattern, "/*") {
		m.Fail(at, path, "%q matches no server/tool, want for example %s", strictyaml.Clip(pattern, 80), toolPatternFor(strictyaml.Clip(pattern, 40)))
		return false
	}
	return true
}

func readToolChoice(m *strictyaml.Mapping) ToolChoice {
	v, ok := m.Get("tools")
	if !ok {
		return ToolChoice{}
	}
	o := m.Mapping(v, "tools")
	out := ToolChoice{Allow: readToolPatterns(o, "allow"), Deny: readToolPatterns(o, "deny")}
	o.Done()
	return out
}

func readToolPatterns(m *strictyaml.Mapping, field string) (list []ToolPattern) {
	seen := make(map[string]bool)
	for i, item := range m.List(field) {
		path := strictyaml.ItemPath(field, i)
		if !m.HasType(item, path, strictyaml.String) || !checkToolPattern(m, item.At, m.Path(path), item.Text) {
			continue
		}
		if seen[item.Text] {
			m.Fail(item.At, m.Path(path), "%q is written twice", strictyaml.Clip(item.Text, 80))
			continue
		}
		seen[item.Text] = true
		list = append(list, ToolPattern{item.Text, item.At})
	}
	return list
}

func readOverrideList(m *strictyaml.Mapping, name string) []Override {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, strictyaml.Map) {
		return nil
	}
	var out []Override
	for _, field := range v.Fields {
		model := ReadName(m, field.Value, name+"."+strictyaml.Clip(field.Name, 80))
		if model != "" {
			out = append(out, Override{field.Name, Ref{model, field.Value.At}, field.At})
		}
	}
	return out
}

func (s ProjectSpec) fields() strictyaml.Builder {
	b := strictyaml.Builder{}.Add("proxyMode", strictyaml.NewText(s.ProxyMode)).Add("servers", newNames(s.Servers))
	if s.Gated != nil {
		b = b.Add("gated", strictyaml.NewBool(*s.Gated))
	}
	b = b.Add("proxyModel", strictyaml.NewText(string(s.ProxyModel.Name)))
	overrides := s.Overrides.fields()
	b = b.AddIf(len(overrides) > 0, "proxyModelOverrides", overrides.Value())
	tools := s.Tools.fields()
	b = b.AddIf(len(tools) > 0, "tools", tools.Value())
	b = b.Add("toolNames", strictyaml.NewText(s.ToolNames))
	b = b.AddIf(s.Protocol != "" && s.Protocol != ProtocolAny, "protocol", strictyaml.NewText(s.Protocol))
	if s.LLMProvider != nil {
		b = b.Add("llmProvider", strictyaml.NewText(*s.LLMProvider))
	}
	b = b.AddIf(s.Recording, "recording", strictyaml.NewBool(true))
	b = b.AddIf(s.Audit == AuditStrict, "audit", strictyaml.NewText(s.Audit))
	b = b.AddIf(s.AuditArguments, "auditArguments", strictyaml.NewBool(true))
	if s.MaxAnswerTokens != nil {
		b = b.Add("maxAnswerTokens", strictyaml.NewInt(*s.MaxAnswerTokens))
	}
	return b
}

func (t ToolChoice) fields() strictyaml.Builder {
	texts := func(list []ToolPattern) strictyaml.Value {
		out := make([]string, len(list))
		for i, p := range list {
			out[i] = p.Text
		}
		return strictyaml.NewTexts(out)
	}
	return strictyaml.Builder{}.AddIf(len(t.Allow) > 0, "allow", texts(t.Allow)).AddIf(len(t.Deny) > 0, "deny", texts(t.Deny))
}

func (o Overrides) fields() strictyaml.Builder {
	mapping := func(list []Override) strictyaml.Value {
		var b strictyaml.Builder
		for _, item := range list {
			b = b.Add(item.Pattern, strictyaml.NewText(string(item.Model.Name)))
		}
		return b.Value()
	}
	return strictyaml.Builder{}.
		AddIf(len(o.Prompts) > 0, "prompts", mapping(o.Prompts)).
		AddIf(len(o.ToolResults) > 0, "toolResults", mapping(o.ToolResults)).
		AddIf(len(o.Resources) > 0, "resources", mapping(o.Resources))
}
