package object

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// DefaultController is the controller of a ProxyModel that does not set one.
const DefaultController Name = "gate"

// Values of Entry.OnFailure. If it is empty, the default depends on the kind of the role.
const (
	OnFailurePass        = "pass"
	OnFailureBlock       = "block"
	OnFailurePlaceholder = "placeholder"
)

// ProxyModel is a set of controllers and an ordered list of stages.
type ProxyModel struct {
	header
	Spec ProxyModelSpec
}

// ProxyModelSpec is the configuration of a ProxyModel.
type ProxyModelSpec struct {
	Controllers []Entry // may be empty
	Stages      []Entry // filters and stages, in order; may be empty
	AppliesTo   []abi.ContentType
	Cacheable   bool // default true
}

// Entry is one controller or stage of a ProxyModel. Only host/proxymodel knows which
// roles exist and which config they have.
type Entry struct {
	Type      Ref
	Config    strictyaml.Value // a mapping, or null
	OnFailure string           // empty: depends on the kind of the role
	Limits    Limits
	At        strictyaml.Position
	ConfigAt  strictyaml.Position
}

// Limits lower the host's limits for one entry. Zero keeps the host's limit.
type Limits struct {
	Time        strictyaml.Duration // CPU time of one call
	Memory      strictyaml.Bytes    // of one guest
	Output      strictyaml.Bytes    // of one call
	Sections    int                 // of one call
	LLMTime     strictyaml.Duration // time to wait for answers
	LLMRequests int                 // of one call
}

// controllerAliases maps old names of controllers to their names.
var controllerAliases = map[Name]Name{"gate-controller": "gate"}

// modelAliases maps other names of built-in ProxyModels to their names.
var modelAliases = map[Name]Name{"gated": "default", "index": "subindex"}

// ModelOfAlias returns the name of the built-in ProxyModel that has an alias.
func ModelOfAlias(alias Name) (Name, bool) {
	name, ok := modelAliases[alias]
	return name, ok
}

// contentTypes are the words of appliesTo. The plural is the canonical form.
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

func readProxyModel(m *strictyaml.Mapping, h header) *ProxyModel {
	p := &ProxyModel{header: h}
	p.Spec.Controllers = readControllers(m)
	if stages, ok := m.Need("stages"); ok && m.HasType(stages, "stages", strictyaml.List) {
		for i, item := range stages.Items {
			p.Spec.Stages = append(p.Spec.Stages, readEntry(m, item, strictyaml.ItemPath("stages", i)))
		}
	}
	p.Spec.AppliesTo = readAppliesTo(m)
	p.Spec.Cacheable = m.Bool("cacheable", true)
	m.Done()
	return p
}

// readControllers reads controller, which is a name, "none" or a list of entries, and
// controllerConfig, which is the config of a single name.
func readControllers(m *strictyaml.Mapping) []Entry {
	v, ok := m.Get("controller")
	config, hasConfig := m.Get("controllerConfig")
	if hasConfig && !m.HasType(config, "controllerConfig", strictyaml.Map) {
		config = strictyaml.Value{}
	}
	if v.Type == strictyaml.List {
		if hasConfig {
			m.Fail(config.At, "controllerConfig", "belongs to a single controller, in a list each entry has its own config")
		}
		return readControllerList(m, v)
	}
	e := Entry{Type: Ref{DefaultController, m.Value().At}, Config: config, At: m.Value().At, ConfigAt: config.At}
	if ok {
		e.At = v.At
		e.Type = Ref{ReadName(m, v, "controller"), v.At}
	}
	e.Type.Name = resolveController(e.Type.Name)
	if e.Type.Name != "none" {
		return []Entry{e}
	}
	if hasConfig {
		m.Fail(config.At, "controllerConfig", "has no controller: controller is none")
	}
	return nil
}

func readControllerList(m *strictyaml.Mapping, v strictyaml.Value) []Entry {
	var out []Entry
	for i, item := range v.Items {
		path := strictyaml.ItemPath("controller", i)
		e := readEntry(m, item, path)
		e.Type.Name = resolveController(e.Type.Name)
		switch {
		case e.Type.Name == "none":
			m.Fail(e.Type.At, path+".type", "none is not allowed in a list, write controller: none")
		case slices.ContainsFunc(out, func(o Entry) bool { return o.Type.Name == e.Type.Name && e.Type.Name != "" }):
			m.Fail(e.Type.At, path+".type", "%q is written twice", e.Type.Name)
		}
		out = append(out, e)
	}
	return out
}

func resolveController(n Name) Name {
	if to, ok := controllerAliases[n]; ok {
		return to
	}
	return n
}

func readEntry(m *strictyaml.Mapping, v strictyaml.Value, path string) Entry {
	if v.Type == strictyaml.String {
		m.Fail(v.At, path, "is a string, want {type: %s}", strictyaml.Clip(v.Text, 63))
		return Entry{At: v.At}
	}
	e := Entry{At: v.At}
	entry := m.Mapping(v, path)
	if typ, ok := entry.Need("type"); ok {
		e.Type = Ref{ReadName(entry, typ, "type"), typ.At}
	}
	if config, ok := entry.Get("config"); ok && entry.HasType(config, "config", strictyaml.Map) {
		e.Config, e.ConfigAt = config, config.At
	}
	e.OnFailure = entry.Word("onFailure", "", OnFailurePass, OnFailureBlock, OnFailurePlaceholder)
	if limits, ok := entry.Get("limits"); ok {
		e.Limits = readLimits(entry.Mapping(limits, entry.Path("limits")))
	}
	entry.Done()
	return e
}

func readLimits(m *strictyaml.Mapping) Limits {
	l := Limits{
		Time:        m.Duration("time", 0),
		Memory:      m.Bytes("memory"),
		Output:      m.Bytes("output"),
		Sections:    m.Int("sections", 0, 1, 1<<20),
		LLMTime:     m.Duration("llmTime", 0),
		LLMRequests: m.Int("llmRequests", 0, 1, 1<<20),
	}
	m.Done()
	return l
}

func readAppliesTo(m *strictyaml.Mapping) []abi.ContentType {
	v, ok := m.Get("appliesTo")
	if !ok || !m.HasType(v, "appliesTo", strictyaml.List) {
		return allContentTypes()
	}
	var out []abi.ContentType
	for i, item := range v.Items {
		path := strictyaml.ItemPath("appliesTo", i)
		if !m.HasType(item, path, strictyaml.String) {
			continue
		}
		kind, words := parseContentType(item.Text)
		switch {
		case kind == "":
			m.Fail(item.At, path, "is %q, want prompts, toolResults or resources%s",
				strictyaml.Clip(item.Text, 40), suggest.DidYouMean(item.Text, words))
		case slices.Contains(out, kind):
			m.Fail(item.At, path, "%q is written twice", strictyaml.Clip(item.Text, 40))
		default:
			out = append(out, kind)
		}
	}
	return out
}

// parseContentType returns the content type with a plural or singular name. If there is
// none, it returns all plurals.
func parseContentType(word string) (abi.ContentType, []string) {
	var plurals []string
	for _, c := range contentTypes {
		if word == c.plural || word == c.singular {
			return c.kind, nil
		}
		plurals = append(plurals, c.plural)
	}
	return "", plurals
}

func (s ProxyModelSpec) fields() strictyaml.Builder {
	b := s.controllerFields()
	b = b.Add("stages", entryList(s.Stages))
	words := make([]string, len(s.AppliesTo))
	for i, t := range s.AppliesTo {
		words[i] = pluralOf(t)
	}
	b = b.Add("appliesTo", strictyaml.NewTexts(words))
	return b.Add("cacheable", strictyaml.NewBool(s.Cacheable))
}

// controllerFields returns the shortest of the three forms that can express the controllers.
func (s ProxyModelSpec) controllerFields() strictyaml.Builder {
	switch {
	case len(s.Controllers) == 0:
		return strictyaml.Builder{}.Add("controller", strictyaml.NewText("none"))
	case len(s.Controllers) > 1, s.Controllers[0].OnFailure != "", s.Controllers[0].Limits != Limits{}:
		return strictyaml.Builder{}.Add("controller", entryList(s.Controllers))
	}
	only := s.Controllers[0]
	return strictyaml.Builder{}.Add("controller", strictyaml.NewText(string(only.Type.Name))).
		AddIf(only.Config.Type == strictyaml.Map, "controllerConfig", only.Config)
}

func pluralOf(t abi.ContentType) string {
	for _, c := range contentTypes {
		if c.kind == t {
			return c.plural
		}
	}
	return string(t)
}

func entryList(list []Entry) strictyaml.Value {
	v := strictyaml.Value{Type: strictyaml.List}
	for _, e := range list {
		b := strictyaml.Builder{}.Add("type", strictyaml.NewText(string(e.Type.Name)))
		b = b.AddIf(e.Config.Type == strictyaml.Map, "config", e.Config)
		b = b.AddIf(e.OnFailure != "", "onFailure", strictyaml.NewText(e.OnFailure))
		b = b.AddIf(e.Limits != Limits{}, "limits", e.Limits.value())
		v.Items = append(v.Items, b.Value())
	}
	return v
}

func (l Limits) value() strictyaml.Value {
	return strictyaml.Builder{}.
		AddIf(l.Time != 0, "time", strictyaml.NewText(l.Time.String())).
		AddIf(l.Memory != 0, "memory", strictyaml.NewText(l.Memory.String())).
		AddIf(l.Output != 0, "output", strictyaml.NewText(l.Output.String())).
		AddIf(l.Sections != 0, "sections", strictyaml.NewInt(l.Sections)).
		AddIf(l.LLMTime != 0, "llmTime", strictyaml.NewText(l.LLMTime.String())).
		AddIf(l.LLMRequests != 0, "llmRequests", strictyaml.NewInt(l.LLMRequests)).Value()
}
