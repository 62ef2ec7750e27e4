package object

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// DefaultController is the controller of a ProxyModel that names none.
const DefaultController Name = "gate"

// Values of Entry.OnFailure; empty leaves it to the role's kind.
const (
	OnFailurePass        = "pass"
	OnFailureBlock       = "block"
	OnFailurePlaceholder = "placeholder"
)

// ProxyModel names controllers and an ordered list of stages.
type ProxyModel struct {
	header
	Spec ProxyModelSpec
}

// ProxyModelSpec is what a person says about a ProxyModel.
type ProxyModelSpec struct {
	Controllers []Entry // empty: none
	Stages      []Entry // filters and stages, in order; may be empty
	AppliesTo   []abi.ContentType
	Cacheable   bool // default true
}

// Entry is one controller or stage of a ProxyModel. Which roles exist and what
// config they take is known to host/proxymodel only.
type Entry struct {
	Type      Ref
	Config    Value  // a mapping, or null
	OnFailure string // empty: by the role's kind
	Limits    Limits
	At        Position
	ConfigAt  Position
}

// Limits narrow the host's limits for one entry. Zero means the host's.
type Limits struct {
	Time        Duration // CPU of one call
	Memory      Bytes    // of one guest
	Output      Bytes    // of one call
	Sections    int      // of one call
	LLMTime     Duration // waiting for answers
	LLMRequests int      // of one call
}

// controllerAliases are old names of controllers.
var controllerAliases = map[Name]Name{"gate-controller": "gate"}

// modelAliases are other names of built-in ProxyModels.
var modelAliases = map[Name]Name{"gated": "default", "index": "subindex"}

// contentTypes are the names that appliesTo takes, the plural first: it is the
// one that is printed.
var contentTypes = []struct {
	kind             abi.ContentType
	plural, singular string
}{
	{abi.Prompt, "prompts", "prompt"},
	{abi.ToolResult, "toolResults", "toolResult"},
	{abi.Resource, "resources", "resource"},
}

func allContentTypes() []abi.ContentType {
	return []abi.ContentType{abi.Prompt, abi.ToolResult, abi.Resource}
}

func (r *reader) proxyModel(h header, v Value) *ProxyModel {
	m := &ProxyModel{header: h}
	f := r.mapping(v, "")
	m.Spec.Controllers = f.controllers()
	if stages, ok := f.need("stages"); ok && f.typed(stages, "stages", List) {
		for i, item := range stages.Items {
			m.Spec.Stages = append(m.Spec.Stages, f.entry(item, at("stages", i)))
		}
	}
	m.Spec.AppliesTo = f.appliesTo()
	m.Spec.Cacheable = f.boolean("cacheable", true)
	f.done()
	return m
}

// controllers reads controller, which is a name, none or a list of entries, and
// the controllerConfig that goes with a single name.
func (f *fields) controllers() []Entry {
	v, ok := f.get("controller")
	config, hasConfig := f.get("controllerConfig")
	if hasConfig && !f.typed(config, "controllerConfig", Map) {
		config = Value{}
	}
	if v.Type == List {
		if hasConfig {
			f.fail(config.At, "controllerConfig", "belongs to a single controller, in a list each entry has its own config")
		}
		return f.controllerList(v)
	}
	e := Entry{Type: Ref{DefaultController, f.v.At}, Config: config, At: f.v.At, ConfigAt: config.At}
	if ok {
		e.At = v.At
		e.Type = Ref{f.asName(v, "controller"), v.At}
	}
	e.Type.Name = controllerName(e.Type.Name)
	if e.Type.Name != "none" {
		return []Entry{e}
	}
	if hasConfig {
		f.fail(config.At, "controllerConfig", "has no controller: controller is none")
	}
	return nil
}

func (f *fields) controllerList(v Value) []Entry {
	var out []Entry
	for i, item := range v.Items {
		e := f.entry(item, at("controller", i))
		e.Type.Name = controllerName(e.Type.Name)
		switch {
		case e.Type.Name == "none":
			f.fail(e.Type.At, at("controller", i)+".type", "none cannot stand in a list, write controller: none")
		case slices.ContainsFunc(out, func(o Entry) bool { return o.Type.Name == e.Type.Name && e.Type.Name != "" }):
			f.fail(e.Type.At, at("controller", i)+".type", "%q is written twice", e.Type.Name)
		}
		out = append(out, e)
	}
	return out
}

func controllerName(n Name) Name {
	if to, ok := controllerAliases[n]; ok {
		return to
	}
	return n
}

func (f *fields) entry(v Value, path string) Entry {
	if v.Type == String {
		f.fail(v.At, path, "is a string, want {type: %s}", clip(v.Text, 63))
		return Entry{At: v.At}
	}
	e := Entry{At: v.At}
	g := f.mapping(v, path)
	if typ, ok := g.need("type"); ok {
		e.Type = Ref{g.asName(typ, "type"), typ.At}
	}
	if config, ok := g.get("config"); ok && g.typed(config, "config", Map) {
		e.Config, e.ConfigAt = config, config.At
	}
	e.OnFailure = g.word("onFailure", "", OnFailurePass, OnFailureBlock, OnFailurePlaceholder)
	if limits, ok := g.get("limits"); ok {
		e.Limits = g.limits(limits)
	}
	g.done()
	return e
}

func (f *fields) limits(v Value) Limits {
	g := f.mapping(v, f.path+"limits")
	l := Limits{
		Time:        g.duration("time", 0),
		Memory:      g.bytes("memory"),
		Output:      g.bytes("output"),
		Sections:    g.integer("sections", 0, 1, 1<<20),
		LLMTime:     g.duration("llmTime", 0),
		LLMRequests: g.integer("llmRequests", 0, 1, 1<<20),
	}
	g.done()
	return l
}

func (f *fields) appliesTo() []abi.ContentType {
	v, ok := f.get("appliesTo")
	if !ok || !f.typed(v, "appliesTo", List) {
		return allContentTypes()
	}
	var out []abi.ContentType
	for i, item := range v.Items {
		if !f.typed(item, at("appliesTo", i), String) {
			continue
		}
		kind, words := contentType(item.Text)
		switch {
		case kind == "":
			f.fail(item.At, at("appliesTo", i), "is %q, want prompts, toolResults or resources%s",
				clip(item.Text, 40), didYouMean(item.Text, words))
		case slices.Contains(out, kind):
			f.fail(item.At, at("appliesTo", i), "%q is written twice", clip(item.Text, 40))
		default:
			out = append(out, kind)
		}
	}
	return out
}

// contentType finds a content type by its plural or singular; also all plurals.
func contentType(word string) (abi.ContentType, []string) {
	var plurals []string
	for _, c := range contentTypes {
		if word == c.plural || word == c.singular {
			return c.kind, nil
		}
		plurals = append(plurals, c.plural)
	}
	return "", plurals
}
