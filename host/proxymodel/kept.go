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

// Kept is what a broken ProxyModel or reference is replaced by: the last version
// of each ProxyModel that was valid, and the ProxyModel that each place of a
// project named when that existed. It is immutable.
type Kept struct {
	models map[object.Name]*Model
	refs   map[placeKey]object.Name
}

// placeKey is a place of a project that names a ProxyModel: "proxyModel", or the
// path of an override.
type placeKey struct{ project, path string }

// keptJSON is the encoded form.
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
	Limits keptLimits // hides that of Step, which is encoded for people
}

type keptLimits struct{ Time, Memory, Output, Sections, LLMTime, LLMRequests int64 }

type keptRef struct {
	Project string      `json:"project"`
	Path    string      `json:"path"`
	Model   object.Name `json:"model"`
}

// Encode returns k as JSON. Equal values give equal bytes.
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
// Errors: abi.ErrConfig for anything else.
func DecodeKept(b []byte) (*Kept, error) {
	var in keptJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("%w: last valid proxymodels: %v", abi.ErrConfig, err)
	}
	k := newKept()
	for _, m := range in.Models {
		ready := &Model{Name: m.Name, BuiltIn: m.BuiltIn, Controllers: decodeSteps(m.Controllers), Steps: decodeSteps(m.Steps), Cacheable: m.Cacheable, appliesTo: m.AppliesTo}
		k.models[object.Name(m.Name)] = ready.finished()
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

// Kept is what replaces the ProxyModels of the next Plan that are broken.
func (p *Plan) Kept() *Kept { return p.next }

// keep records the ProxyModels that are valid in this Plan, and the last valid version of
// those that are not. A deleted ProxyModel is kept while a project names it.
func (p *Plan) keep(before *Kept) {
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

// replaceModel returns what serves in place of a ProxyModel that has errors: its
// last valid version; without one its filters alone. Content is withheld only if
// a filter is missing.
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
		broken.Serves = "its last valid version serves" + p.without(last)
		return compiled{last, broken}
	case len(missing) == 0:
		broken.Serves = "its filters run, its stages do not"
		only := &Model{Name: string(m.Name()), Controllers: p.controllersOf(m), Steps: filters, Cacheable: m.Spec.Cacheable, appliesTo: m.Spec.AppliesTo}
		return compiled{only.finished(), broken}
	}
	broken.Missing = missing[0]
	return compiled{err: broken}
}

// checkFilters returns an error if a filter of the last valid version of a ProxyModel is
// now a stage, so that content which the filter removed is never shown. A running daemon
// refuses such a module; it can be replaced while no daemon runs. A version of the
// ProxyModel without the step is valid, and versions after that may name the stage.
//
// Errors: strictyaml.Errors.
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

// replaceRef returns what serves a place of a project that names a ProxyModel which
// does not exist: the one that it named last. A home without any filter has
// nothing to withhold content for, so it then passes unchanged.
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
		return compiled{none.finished(), broken}
	}
	return compiled{err: broken}
}

// missingFilter returns a filter without which a Model must not serve and that does
// not exist any more, "" if there is none.
func (p *Plan) missingFilter(m *Model) string {
	for _, s := range m.Steps {
		if s.Kind == abi.KindFilter && s.OnFailure != object.OnFailurePass && !p.isFilter(s.Type) {
			return s.Type
		}
	}
	return ""
}

// without names the stages of a Model that do not exist any more; content passes them
// unchanged.
func (p *Plan) without(m *Model) string {
	var gone []string
	for _, s := range m.Steps {
		if _, ok := p.roles.Role(s.Type); !ok && !slices.Contains(gone, s.Type) {
			gone = append(gone, s.Type)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return ", without " + strings.Join(gone, ", ") + ", which does not exist"
}

func (p *Plan) isFilter(name string) bool {
	r, ok := p.roles.Role(name)
	return ok && r.Kind == abi.KindFilter
}

// hasFilters reports whether the Model runs these filters, and enough others to
// include as many that are missing.
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

// filtersOf returns the filters of a broken ProxyModel that can run, and the names
// of those that cannot and must not be left out.
func (p *Plan) filtersOf(m *object.ProxyModel, last *Model) (filters []Step, missing []string) {
	stage := false // a stage came before: filters come first
	for _, e := range m.Spec.Stages {
		name := string(e.Type.Name)
		role, ok := p.roles.Role(name)
		switch {
		case ok && role.Kind == abi.KindFilter:
			c := compiler{model: m, roles: p.roles}
			if s := c.step(e, entryPath{"type", "config"}); len(c.errs) == 0 {
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

// mayBeFilter reports whether a role that does not exist has to be taken for a
// filter: unless the last valid version had it as a stage, or its name is close
// to that of a stage.
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
		if s, ok := c.controller(e, controllerPath(m, i)); ok && len(c.errs) == 0 {
			list = append(list, s)
		}
	}
	return list
}
