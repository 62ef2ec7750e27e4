package proxymodel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Kept is the replacement for broken ProxyModels and references: the last valid version
// of each ProxyModel, and for each reference in a project the last ProxyModel that
// existed. It is immutable.
type Kept struct {
	models map[object.Name]*Model
	refs   map[placeKey]object.Name
}

// placeKey identifies a reference in a project: "proxyModel", or the path of an
// override.
type placeKey struct{ project, path string }

// keptJSON is the JSON form of Kept.
type keptJSON struct {
	Models []keptModel `json:"models"`
	Refs   []keptRef   `json:"refs"`
}

type keptModel struct {
	Name        string
	BuiltIn     bool
	Controllers []keptStep
	Steps       []keptStep
	Cacheable   bool
	AppliesTo   []abi.ContentType
}

type keptStep struct {
	Step
	Limits keptLimits // hides Step.Limits, whose JSON form is for people
}

type keptLimits struct{ Time, Memory, Output, Sections, LLMTime, LLMRequests int64 }

type keptRef struct {
	Project string      `json:"project"`
	Path    string      `json:"path"`
	Model   object.Name `json:"model"`
}

// Encode returns k as JSON. Equal values have equal bytes.
func (k *Kept) Encode() ([]byte, error) {
	var out keptJSON
	for _, m := range k.models {
		out.Models = append(out.Models, keptModel{m.Name, m.BuiltIn, encodeSteps(m.Controllers), encodeSteps(m.Steps), m.Cacheable, m.appliesTo})
	}
	for at, name := range k.refs {
		out.Refs = append(out.Refs, keptRef{at.project, at.path, name})
	}
	slices.SortFunc(out.Models, func(a, b keptModel) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Refs, func(a, b keptRef) int {
		return cmp.Or(strings.Compare(a.Project, b.Project), strings.Compare(a.Path, b.Path))
	})
	return json.Marshal(out)
}

// DecodeKept is the inverse of Encode.
//
// It returns abi.ErrConfig for invalid input.
func DecodeKept(b []byte) (*Kept, error) {
	var in keptJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("%w: last valid proxymodels: %v", abi.ErrConfig, err)
	}
	k := newKept()
	for _, m := range in.Models {
		ready := &Model{Name: m.Name, BuiltIn: m.BuiltIn, Controllers: decodeSteps(m.Controllers), Steps: decodeSteps(m.Steps), Cacheable: m.Cacheable, appliesTo: m.AppliesTo}
		k.models[object.Name(m.Name)] = ready.finish()
	}
	for _, r := range in.Refs {
		k.refs[placeKey{r.Project, r.Path}] = r.Model
	}
	return k, nil
}

func encodeSteps(steps []Step) (out []keptStep) {
	for _, s := range steps {
		l := s.Limits
		out = append(out, keptStep{s, keptLimits{int64(l.Time), int64(l.Memory), int64(l.Output), int64(l.Sections), int64(l.LLMTime), int64(l.LLMRequests)}})
	}
	return out
}

func decodeSteps(steps []keptStep) (out []Step) {
	for _, k := range steps {
		s, l := k.Step, k.Limits
		s.Limits = object.Limits{Time: strictyaml.Duration(l.Time), Memory: strictyaml.Bytes(l.Memory), Output: strictyaml.Bytes(l.Output), Sections: int(l.Sections),
			LLMTime: strictyaml.Duration(l.LLMTime), LLMRequests: int(l.LLMRequests)}
		out = append(out, s)
	}
	return out
}

func newKept() *Kept {
	return &Kept{models: make(map[object.Name]*Model), refs: make(map[placeKey]object.Name)}
}

// Kept returns the replacements for the next Plan.
func (p *Plan) Kept() *Kept { return p.next }

// recordValid records the ProxyModels that are valid in this Plan, and the last valid
// version of all others. A deleted ProxyModel is kept while a project refers to it.
func (p *Plan) recordValid(before *Kept) {
	for name, c := range p.models {
		if c.err == nil {
			p.next.models[name] = c.model
		} else if last := before.models[name]; last != nil {
			p.next.models[name] = last
		}
	}
	for _, name := range p.next.refs {
		if last := before.models[name]; last != nil && p.next.models[name] == nil {
			p.next.models[name] = last
		}
	}
}

// replaceModel returns the replacement for an invalid ProxyModel: its last valid
// version, or else its filters without its stages. Content is withheld only if a filter
// is missing.
func (p *Plan) replaceModel(m *object.ProxyModel, cause error, before *Kept) compiled {
	broken := &BrokenError{KindName: "proxymodel", Name: string(m.Name()), Err: cause}
	if before == nil {
		return compiled{err: broken}
	}
	last := before.models[m.Name()]
	filters, missing := p.filtersOf(m, last)
	switch {
	case last != nil && last.hasFilters(filters, len(missing)):
		if broken.Missing = p.missingFilter(last); broken.Missing != "" {
			return compiled{err: broken}
		}
		broken.Serves = "its last valid version serves" + p.describeMissing(last)
		return compiled{last, broken}
	case len(missing) == 0:
		broken.Serves = "its filters run, its stages do not"
		only := &Model{Name: string(m.Name()), Controllers: p.controllersOf(m), Steps: filters, Cacheable: m.Spec.Cacheable, appliesTo: m.Spec.AppliesTo}
		return compiled{only.finish(), broken}
	}
	broken.Missing = missing[0]
	return compiled{err: broken}
}

// checkFilters returns an error if a filter of the last valid version of a ProxyModel is
// now a stage, so that content which the filter removed is never shown. A running daemon
// rejects such a module, but it can be replaced while no daemon runs. A version of the
// ProxyModel without the step is valid, and later versions may contain the stage.
//
// It returns strictyaml.Errors.
func (k *Kept) checkFilters(m *object.ProxyModel, ready *Model) error {
	if k == nil || k.models[m.Name()] == nil {
		return nil
	}
	for i, s := range ready.Steps {
		wasFilter := slices.ContainsFunc(k.models[m.Name()].Steps, func(old Step) bool {
			return old.Type == s.Type && old.Kind == abi.KindFilter && old.OnFailure != object.OnFailurePass
		})
		if wasFilter && s.Kind != abi.KindFilter {
			return strictyaml.Errors{m.Errorf(m.Spec.Stages[i].Type.At, fmt.Sprintf("stages[%d].type", i),
				"%q was a filter and is a %s now: make it a filter again, or first remove it from stages", s.Type, s.Kind)}
		}
	}
	return nil
}

// replaceRef returns the replacement for a reference to a missing ProxyModel: the one
// that it referred to last. If there are no filters at all, content passes unchanged.
func (p *Plan) replaceRef(at placeKey, ref object.Ref, broken *BrokenError, before *Kept) compiled {
	if before == nil {
		return compiled{err: broken}
	}
	name, ok := before.refs[at]
	if ok {
		p.next.refs[at] = name
	}
	last := p.models[name].model
	if last == nil {
		last = before.models[name]
	}
	switch {
	case ok && last != nil:
		broken.Serves = fmt.Sprintf("proxymodel %q serves, which it named before", name)
		return compiled{last, broken}
	case !slices.ContainsFunc(p.roles.Names(), p.isFilter):
		broken.Serves = "content passes unchanged"
		none := &Model{Name: string(ref.Name), appliesTo: contentTypes}
		return compiled{none.finish(), broken}
	}
	return compiled{err: broken}
}

// missingFilter returns a filter that a Model needs and that does not exist any more, or
// "".
func (p *Plan) missingFilter(m *Model) string {
	for _, s := range m.Steps {
		if s.Kind == abi.KindFilter && s.OnFailure != object.OnFailurePass && !p.isFilter(s.Type) {
			return s.Type
		}
	}
	return ""
}

// describeMissing lists the stages of a Model that are not available any more, each with the
// reason if it is known. Content skips them.
func (p *Plan) describeMissing(m *Model) string {
	var gone, reasons []string
	for _, s := range m.Steps {
		if _, ok := p.roles.Role(s.Type); ok || slices.Contains(gone, s.Type) {
			continue
		}
		gone = append(gone, s.Type)
		why := "which does not exist"
		if a, ok := p.roles.(Absences); ok && a.Absent(s.Type) != "" {
			why = "which does not serve: " + a.Absent(s.Type)
		}
		reasons = append(reasons, ", without "+s.Type+", "+why)
	}
	return strings.Join(reasons, "")
}

func (p *Plan) isFilter(name string) bool {
	r, ok := p.roles.Role(name)
	return ok && r.Kind == abi.KindFilter
}

// hasFilters reports whether the Model has these filters, and at least as many others as
// are missing.
func (m *Model) hasFilters(filters []Step, missing int) bool {
	n := 0
	for _, s := range m.Steps {
		if s.Kind == abi.KindFilter {
			n++
		}
	}
	return n >= len(filters)+missing && !slices.ContainsFunc(filters, func(f Step) bool {
		return !slices.ContainsFunc(m.Steps, func(s Step) bool { return s.Type == f.Type })
	})
}

// filtersOf returns the filters of a broken ProxyModel that can run, and the names of
// required filters that cannot.
func (p *Plan) filtersOf(m *object.ProxyModel, last *Model) (filters []Step, missing []string) {
	stage := false // a stage precedes; filters come first
	for _, e := range m.Spec.Stages {
		name := string(e.Type.Name)
		role, ok := p.roles.Role(name)
		switch {
		case ok && role.Kind == abi.KindFilter:
			c := compiler{model: m, roles: p.roles}
			if s := c.compileStage(e, entryPath{"type", "config"}); len(c.errs) == 0 {
				filters = append(filters, s)
			} else if e.OnFailure != object.OnFailurePass {
				missing = append(missing, name)
			}
		case ok:
			stage = true
		case !stage && e.OnFailure != object.OnFailurePass && p.mayBeFilter(name, last):
			missing = append(missing, name)
		}
	}
	return filters, missing
}

// mayBeFilter reports whether a role that does not exist must be treated as a filter. It
// is not if it was a stage in the last valid version, or if its name is close to that of
// a stage.
func (p *Plan) mayBeFilter(name string, last *Model) bool {
	if last != nil {
		for _, s := range last.Steps {
			if s.Type == name {
				return s.Kind == abi.KindFilter
			}
		}
	}
	var filters, stages []string
	for _, n := range p.roles.Names() {
		switch r, _ := p.roles.Role(n); r.Kind {
		case abi.KindFilter:
			filters = append(filters, n)
		case abi.KindStage:
			stages = append(stages, n)
		}
	}
	return suggest.Nearest(name, filters) != "" || suggest.Nearest(name, stages) == ""
}

// controllersOf returns the controllers of a broken ProxyModel that can run.
func (p *Plan) controllersOf(m *object.ProxyModel) (list []Step) {
	for i, e := range m.Spec.Controllers {
		c := compiler{model: m, roles: p.roles}
		if s, ok := c.compileController(e, controllerPath(m, i)); ok && len(c.errs) == 0 {
			list = append(list, s)
		}
	}
	return list
}
