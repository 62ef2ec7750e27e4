package object

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Values of ProjectSpec.ProxyMode and ToolNames.
const (
	ModeDirect    = "direct" // only the client's config is written
	ModeProxy     = "proxy"
	NamesPrefixed = "prefixed" // server__tool
	NamesBare     = "bare"     // the names of the one server
)

// DefaultProxyModel is the ProxyModel of a Project that names none.
const DefaultProxyModel Name = "default"

// Project is what one client entry connects to: Servers and a ProxyModel.
type Project struct {
	header
	Spec ProjectSpec
}

// ProjectSpec is what a person says about a Project.
type ProjectSpec struct {
	ProxyMode   string // ModeDirect or ModeProxy, the default
	Servers     []Ref
	Gated       *bool // nil: not said, see IsGated
	ProxyModel  Ref   // default DefaultProxyModel
	Overrides   Overrides
	ToolNames   string  // NamesPrefixed, the default, or NamesBare
	LLMProvider *string // nil inherits, "none" switches off
}

// Ref names another Object and remembers where it was written.
type Ref struct {
	Name Name
	At   Position
}

// MarshalText prints the name.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.Name), nil }

// Overrides choose another ProxyModel for single sources, each list in the
// order of the file.
type Overrides struct {
	Prompts     []Override // Pattern is the prompt's name
	ToolResults []Override // Pattern is a glob over the label server/tool
	Resources   []Override // Pattern is a glob over the URI
}

// Override says which ProxyModel serves the sources that Pattern matches.
type Override struct {
	Pattern string
	Model   Ref
	At      Position // of the pattern
}

// For returns the list that counts for a content type.
func (o Overrides) For(t abi.ContentType) []Override {
	switch t {
	case abi.Prompt:
		return o.Prompts
	case abi.Resource:
		return o.Resources
	}
	return o.ToolResults
}

// IsGated reports whether sessions begin with begin_session, which they do unless
// the Project says otherwise.
func (p *Project) IsGated() bool { return p.Spec.Gated == nil || *p.Spec.Gated }

func (r *reader) project(h header, v Value) *Project {
	p := &Project{header: h}
	if h.key.Name == SystemProject {
		e := r.fail(h.at, "metadata.name", "%q is kept for the texts of the gate, choose another name", SystemProject)
		e.Hint = "mcpctl get prompts --project " + string(SystemProject)
	}
	f := r.mapping(v, "")
	p.Spec.ProxyMode = f.proxyMode()
	p.Spec.Servers = f.servers()
	if gated, ok := f.get("gated"); ok && f.typed(gated, "gated", Bool) {
		yes := gated.Text == "true"
		p.Spec.Gated = &yes
	}
	p.Spec.ProxyModel.Name, p.Spec.ProxyModel.At = f.name("proxyModel", DefaultProxyModel)
	p.Spec.Overrides = f.overrides()
	p.Spec.ToolNames = f.word("toolNames", NamesPrefixed, NamesPrefixed, NamesBare)
	if p.Spec.ToolNames == NamesBare && len(p.Spec.Servers) > 1 {
		bare, _ := f.v.Lookup("toolNames")
		f.fail(bare.At, "toolNames", "bare needs a project with one server, this one has %d", len(p.Spec.Servers))
	}
	if llm, ok := f.get("llmProvider"); ok && f.typed(llm, "llmProvider", String) {
		if llm.Text == "" {
			f.fail(llm.At, "llmProvider", `is empty, want a provider's name, "none" or null`)
		}
		p.Spec.LLMProvider = &llm.Text
	}
	f.done()
	return p
}

// proxyMode reads the mode; "filtered" is its old name.
func (f *fields) proxyMode() string {
	v, ok := f.v.Lookup("proxyMode")
	if ok && v.Type == String && v.Text == "filtered" {
		f.known = append(f.known, "proxyMode")
		f.warn(v.At, "proxyMode", "filtered is the old name of proxy, write proxy")
		return ModeProxy
	}
	return f.word("proxyMode", ModeProxy, ModeDirect, ModeProxy)
}

func (f *fields) servers() []Ref {
	var out []Ref
	seen := make(map[Name]bool)
	for i, item := range f.list("servers") {
		name := f.asName(item, at("servers", i))
		if name == "" {
			continue
		}
		if seen[name] {
			f.fail(item.At, at("servers", i), "%q is written twice", name)
			continue
		}
		seen[name] = true
		out = append(out, Ref{name, item.At})
	}
	return out
}

func (f *fields) overrides() Overrides {
	v, ok := f.get("proxyModelOverrides")
	if !ok {
		return Overrides{}
	}
	o := f.mapping(v, "proxyModelOverrides")
	out := Overrides{Prompts: o.overrideList("prompts"), ToolResults: o.overrideList("toolResults"), Resources: o.overrideList("resources")}
	for _, p := range out.Prompts {
		if p.Pattern == "" || strings.ContainsAny(p.Pattern, "*?") {
			o.fail(p.At, o.path+"prompts", "%q is no prompt's name; a prompt is named exactly", clip(p.Pattern, 80))
		}
	}
	for _, t := range out.ToolResults {
		if i := strings.IndexAny(t.Pattern, `[]{}\`); i >= 0 {
			o.fail(t.At, o.path+"toolResults", "%q holds %q, which no tool's name does; wildcards are * and ?", clip(t.Pattern, 80), t.Pattern[i:i+1])
			continue
		}
		if !strings.ContainsAny(t.Pattern, "/*") {
			o.fail(t.At, o.path+"toolResults", "%q matches no server/tool, want for example %q", clip(t.Pattern, 80), "*/"+clip(t.Pattern, 40))
		}
	}
	o.done()
	return out
}

func (f *fields) overrideList(name string) []Override {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, Map) {
		return nil
	}
	var out []Override
	for _, field := range v.Fields {
		model := f.asName(field.Value, name+"."+clip(field.Name, 80))
		if model != "" {
			out = append(out, Override{field.Name, Ref{model, field.Value.At}, field.At})
		}
	}
	return out
}
