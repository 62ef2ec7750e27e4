package teamtest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// objectCalls are the calls about objects.
type objectCalls struct{ *Mcpd }

// list returns the objects of a kind in the order of their names.
func (m objectCalls) list(w http.ResponseWriter, r *http.Request) {
	prefix := strings.TrimSuffix(r.PathValue("kinds"), "s") + "/" + r.URL.Query().Get("project")
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(m.objects)) {
		if strings.HasPrefix(id, prefix) {
			list = append(list, m.objects[id])
		}
	}
	answer(w, list)
}

func (m objectCalls) get(w http.ResponseWriter, r *http.Request) {
	kind, project, name := strings.TrimSuffix(r.PathValue("kinds"), "s"), r.URL.Query().Get("project"), r.PathValue("name")
	m.mu.Lock()
	o, exists := m.objects[kind+"/"+project+"/"+name]
	m.mu.Unlock()
	if !exists {
		fail(w, http.StatusNotFound, kind+" "+strconv.Quote(name)+" not found")
		return
	}
	answer(w, o)
}

// visible lists the names of the prompts of a project.
func (m objectCalls) visible(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(m.objects)) {
		if name, ok := strings.CutPrefix(id, "prompt/"+r.PathValue("name")+"/"); ok {
			list = append(list, map[string]any{"name": name, "project": r.PathValue("name"), "priority": 5})
		}
	}
	answer(w, list)
}

// apply accepts JSON manifests, one a document.
func (m objectCalls) apply(w http.ResponseWriter, r *http.Request) {
	var in struct {
		YAML   string `json:"yaml"`
		DryRun bool   `json:"dryRun"`
		Base   string `json:"base"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	var head struct {
		Kind     string
		Metadata struct{ Name, Project, Revision string }
	}
	if err := json.Unmarshal([]byte(in.YAML), &head); err != nil {
		fail(w, http.StatusUnprocessableEntity, "the fake applies one JSON document only")
		return
	}
	kind, base := strings.ToLower(head.Kind), cmp.Or(in.Base, head.Metadata.Revision)
	m.mu.Lock()
	old, exists := m.objects[kind+"/"+head.Metadata.Project+"/"+head.Metadata.Name]
	m.mu.Unlock()
	if base != "" && base != "*" && (!exists || old["revision"] != base) {
		fail(w, http.StatusConflict, kind+" "+strconv.Quote(head.Metadata.Name)+" was changed since it was read")
		return
	}
	action := "created"
	if exists {
		action = "configured"
	}
	if !in.DryRun {
		m.PutRaw(kind, head.Metadata.Project, head.Metadata.Name, json.RawMessage(in.YAML))
	}
	answer(w, []map[string]any{{"kind": kind, "name": head.Metadata.Name, "project": head.Metadata.Project, "action": action}})
}

func (m objectCalls) delete(w http.ResponseWriter, r *http.Request) {
	kind, project, name := strings.TrimSuffix(r.PathValue("kinds"), "s"), r.URL.Query().Get("project"), r.PathValue("name")
	m.mu.Lock()
	_, exists := m.objects[kind+"/"+project+"/"+name]
	m.mu.Unlock()
	if !exists {
		fail(w, http.StatusNotFound, kind+" "+strconv.Quote(name)+" not found")
		return
	}
	m.Delete(kind, project, name)
	answer(w, struct{}{})
}

// propose stores a prompt request.
func (m objectCalls) propose(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name, Project, Content string
		Priority               int
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	_, exists := m.objects["promptrequest/"+in.Project+"/"+in.Name]
	m.mu.Unlock()
	if exists {
		fail(w, http.StatusConflict, "promptrequest "+strconv.Quote(in.Name)+" exists already")
		return
	}
	spec := map[string]any{"content": in.Content}
	if in.Priority != 0 {
		spec["priority"] = in.Priority
	}
	m.put("PromptRequest", in.Project, in.Name, spec)
	answer(w, struct{}{})
}

// put creates or replaces an object of a project.
func (m *Mcpd) put(kind, project, name string, spec any) {
	manifest, _ := json.Marshal(map[string]any{"kind": kind, "metadata": map[string]string{"name": name, "project": project}, "spec": spec})
	m.Put(string(manifest))
}

// approve converts a prompt request into a prompt.
func (m objectCalls) approve(w http.ResponseWriter, r *http.Request) {
	project, name := r.URL.Query().Get("project"), r.PathValue("name")
	m.mu.Lock()
	request, exists := m.objects["promptrequest/"+project+"/"+name]
	m.mu.Unlock()
	if !exists {
		fail(w, http.StatusNotFound, "promptrequest "+strconv.Quote(name)+" not found")
		return
	}
	var manifest struct{ Spec json.RawMessage }
	raw, _ := request["manifest"].(json.RawMessage)
	_ = json.Unmarshal(raw, &manifest)
	if r.URL.Query().Get("dryRun") != "true" {
		m.put("Prompt", project, name, manifest.Spec)
		m.Delete("promptrequest", project, name)
	}
	answer(w, map[string]any{"kind": "prompt", "name": name, "project": project, "action": "created"})
}
