package object

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// EncodeJSON prints an Object as one JSON object, in the order and with the
// names of its YAML, defaults written out. Decode reads it back.
//
// What may be a credential is printed as ***; Store.Apply keeps the stored text
// where it gets back what was printed.
func EncodeJSON(o Object) ([]byte, error) { return toValue(o, masked).MarshalJSON() }

// encodeYAML is EncodeJSON as canonical YAML: equal Objects give equal bytes.
func encodeYAML(o Object) []byte { return appendYAML(nil, toValue(o, masked)) }

// printing says what becomes of Templates: masked for whoever asks, as written
// for the file. Arguments masked whole would not say what runs: of them only what
// looks like a credential is.
type printing struct {
	one       func(Template) string
	arguments func([]Template) []string
}

var (
	masked    = printing{Template.String, maskedArgs}
	asWritten = printing{Template.source, writtenArgs}
)

// argument prints one argument, or a path.
func (print printing) argument(t Template) string { return print.arguments([]Template{t})[0] }

// url prints an address; of the query, where keys are often put, only what may
// be shown.
func (print printing) url(t Template) string {
	address, query, ok := strings.Cut(t.source(), "?")
	address = print.argument(Template{raw: &address})
	if !ok {
		return address
	}
	return address + "?" + print.one(Template{raw: &query})
}

func toValue(o Object, print printing) Value {
	key := o.Key()
	meta := pairs{}.add("name", text(string(key.Name)))
	if key.Project != "" {
		meta = meta.add("project", text(string(key.Project)))
	}
	var spec pairs
	switch o := o.(type) {
	case *Server:
		spec = o.Spec.pairs(print)
	case *Project:
		spec = o.Spec.pairs()
	case *ProxyModel:
		spec = o.Spec.pairs()
	case *Prompt:
		spec = o.Spec.pairs()
	case *PromptRequest:
		spec = pairs{}.add("priority", number(o.Spec.Priority)).add("content", text(o.Spec.Content))
	}
	return pairs{}.add("kind", text(string(key.Kind))).add("metadata", meta.value()).add("spec", spec.value()).value()
}

// pairs builds a mapping.
type pairs []Field

func (p pairs) add(name string, v Value) pairs { return append(p, Field{Name: name, Value: v}) }

func (p pairs) addIf(cond bool, name string, v Value) pairs {
	if !cond {
		return p
	}
	return p.add(name, v)
}

func (p pairs) value() Value { return Value{Type: Map, Fields: p} }

func text(s string) Value { return Value{Type: String, Text: s} }
func number(n int) Value  { return Value{Type: Number, Text: strconv.Itoa(n)} }
func truth(b bool) Value  { return Value{Type: Bool, Text: strconv.FormatBool(b)} }

func texts[T any](items []T, print func(T) string) Value {
	v := Value{Type: List}
	for _, item := range items {
		v.Items = append(v.Items, text(print(item)))
	}
	return v
}

func strs(items []string) Value { return texts(items, func(s string) string { return s }) }

func (s ServerSpec) pairs(print printing) pairs {
	var p pairs
	if !s.URL.IsZero() {
		p = p.add("url", text(print.url(s.URL)))
	} else {
		p = p.add("command", strs(print.arguments(s.Command)))
	}
	p = p.addIf(!s.Cwd.IsZero(), "cwd", text(print.argument(s.Cwd)))
	p = p.addIf(len(s.Env) > 0, "env", templateMap(s.Env, print))
	p = p.addIf(len(s.PassEnv) > 0, "passEnv", strs(s.PassEnv))
	p = p.addIf(len(s.Headers) > 0, "headers", templateMap(s.Headers, print))
	p = p.add("timeout", text(s.Timeout.String())).add("shared", truth(s.Shared))
	return p.addIf(s.ToolCacheTTL != 0, "toolCacheTTL", text(s.ToolCacheTTL.String()))
}

func templateMap(m map[string]Template, print printing) Value {
	var p pairs
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p = p.add(name, text(print.one(m[name])))
	}
	return p.value()
}

func (s ProjectSpec) pairs() pairs {
	p := pairs{}.add("proxyMode", text(s.ProxyMode))
	p = p.add("servers", texts(s.Servers, func(r Ref) string { return string(r.Name) }))
	if s.Gated != nil {
		p = p.add("gated", truth(*s.Gated))
	}
	p = p.add("proxyModel", text(string(s.ProxyModel.Name)))
	p = p.addIf(!s.Overrides.empty(), "proxyModelOverrides", s.Overrides.value())
	p = p.add("toolNames", text(s.ToolNames))
	if s.LLMProvider != nil {
		p = p.add("llmProvider", text(*s.LLMProvider))
	}
	return p
}

func (o Overrides) empty() bool { return len(o.Prompts)+len(o.ToolResults)+len(o.Resources) == 0 }

func (o Overrides) value() Value {
	list := func(items []Override) Value {
		var p pairs
		for _, item := range items {
			p = p.add(item.Pattern, text(string(item.Model.Name)))
		}
		return p.value()
	}
	return pairs{}.
		addIf(len(o.Prompts) > 0, "prompts", list(o.Prompts)).
		addIf(len(o.ToolResults) > 0, "toolResults", list(o.ToolResults)).
		addIf(len(o.Resources) > 0, "resources", list(o.Resources)).value()
}

func (s ProxyModelSpec) pairs() pairs {
	p := s.controllerPairs()
	p = p.add("stages", entries(s.Stages))
	p = p.add("appliesTo", texts(s.AppliesTo, pluralOf))
	return p.add("cacheable", truth(s.Cacheable))
}

// controllerPairs prints the shortest of the three forms that holds everything.
func (s ProxyModelSpec) controllerPairs() pairs {
	switch {
	case len(s.Controllers) == 0:
		return pairs{}.add("controller", text("none"))
	case len(s.Controllers) > 1, s.Controllers[0].OnFailure != "", s.Controllers[0].Limits != Limits{}:
		return pairs{}.add("controller", entries(s.Controllers))
	}
	only := s.Controllers[0]
	return pairs{}.add("controller", text(string(only.Type.Name))).
		addIf(only.Config.Type == Map, "controllerConfig", only.Config)
}

func pluralOf(t abi.ContentType) string {
	for _, c := range contentTypes {
		if c.kind == t {
			return c.plural
		}
	}
	return string(t)
}

func entries(list []Entry) Value {
	v := Value{Type: List}
	for _, e := range list {
		p := pairs{}.add("type", text(string(e.Type.Name)))
		p = p.addIf(e.Config.Type == Map, "config", e.Config)
		p = p.addIf(e.OnFailure != "", "onFailure", text(e.OnFailure))
		p = p.addIf(e.Limits != Limits{}, "limits", e.Limits.value())
		v.Items = append(v.Items, p.value())
	}
	return v
}

func (l Limits) value() Value {
	return pairs{}.
		addIf(l.Time != 0, "time", text(l.Time.String())).
		addIf(l.Memory != 0, "memory", text(l.Memory.String())).
		addIf(l.Output != 0, "output", text(l.Output.String())).
		addIf(l.Sections != 0, "sections", number(l.Sections)).
		addIf(l.LLMTime != 0, "llmTime", text(l.LLMTime.String())).
		addIf(l.LLMRequests != 0, "llmRequests", number(l.LLMRequests)).value()
}

func (s PromptSpec) pairs() pairs {
	p := pairs{}.add("priority", number(s.Priority))
	p = p.addIf(s.Summary != "", "summary", text(s.Summary))
	p = p.addIf(len(s.Chapters) > 0, "chapters", strs(s.Chapters))
	if s.LinkTarget != "" {
		return p.add("linkTarget", text(s.LinkTarget))
	}
	return p.add("content", text(s.Content))
}

// MarshalJSON is EncodeJSON.
func (s *Server) MarshalJSON() ([]byte, error) { return EncodeJSON(s) }

// MarshalJSON is EncodeJSON.
func (p *Project) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }

// MarshalJSON is EncodeJSON.
func (m *ProxyModel) MarshalJSON() ([]byte, error) { return EncodeJSON(m) }

// MarshalJSON is EncodeJSON.
func (p *Prompt) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }

// MarshalJSON is EncodeJSON.
func (p *PromptRequest) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }
