package controllertest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Tool is a tool of the project.
type Tool struct {
	Name       string              // label server/tool, or name of a virtual tool
	Wire       string              // name that the client uses; empty means Name with __ for /
	Kind       controller.ToolKind // empty means a server's tool, or another controller's if Name has no /
	Definition string              // JSON object; empty means a name and a schema
	Hidden     bool                // not listed, but callable
	Stale      bool                // its server is unavailable
	Own        bool                // a virtual tool of this controller
}

// edits are the changes of one run of on_tools_list.
type edits struct {
	hidden  []string // labels
	patches []patch
	added   []Tool
}

type patch struct{ tool, patch string }

// withDefaults returns t with defaults that follow from its name.
func (t Tool) withDefaults() Tool {
	if t.Wire == "" {
		t.Wire = strings.ReplaceAll(t.Name, "/", "__")
	}
	if t.Kind == "" {
		t.Kind = controller.VirtualTool
		if strings.Contains(t.Name, "/") {
			t.Kind = controller.UpstreamTool
		}
	}
	if t.Definition == "" {
		t.Definition = `{"name":` + quote(t.Wire) + `,"inputSchema":{"type":"object"}}`
	}
	return t
}

// isReadOnly reports whether the definition has readOnlyHint.
func (t Tool) isReadOnly() bool {
	var d struct {
		Annotations struct {
			ReadOnlyHint bool `json:"readOnlyHint"`
		} `json:"annotations"`
	}
	return json.Unmarshal([]byte(t.Definition), &d) == nil && d.Annotations.ReadOnlyHint
}

const readSection = `{"name":"read_section","description":"reads a section of a stored result",` +
	`"inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},"required":["ref"]}}`

// allTools returns every tool of the latest list: virtual tools of this list, earlier virtual
// tools, which are hidden, and the tools of other controllers, servers and the host.
func (s *Session) allTools() []Tool {
	virtual, upstream := slices.Clone(s.edits.added), []Tool(nil)
	for _, t := range s.own {
		if !hasName(s.edits.added, t.Name) {
			t.Hidden = true
			virtual = append(virtual, t)
		}
	}
	for _, t := range s.Tools {
		if t = t.withDefaults(); t.Kind == controller.VirtualTool {
			virtual = append(virtual, t)
			continue
		}
		upstream = append(upstream, t)
	}
	list := append(virtual, upstream...)
	list = append(list, Tool{Name: "read_section", Kind: controller.HostTool, Definition: readSection}.withDefaults())
	for i := range list {
		s.edits.apply(&list[i])
	}
	return list
}

func hasName(list []Tool, name string) bool {
	return slices.ContainsFunc(list, func(t Tool) bool { return t.Name == name })
}

func (e edits) apply(t *Tool) {
	if slices.Contains(e.hidden, t.Name) {
		t.Hidden = true
	}
	for _, p := range e.patches {
		if p.tool == t.Name {
			t.Definition = mergePatch(t.Definition, p.patch)
		}
	}
}

// visibleTools returns the list for the client.
func (s *Session) visibleTools() []Tool {
	return slices.DeleteFunc(s.allTools(), func(t Tool) bool { return t.Hidden })
}

// findTool returns a tool by label or wire name.
func (s *Session) findTool(name string) (Tool, bool) {
	list := s.allTools()
	i := slices.IndexFunc(list, func(t Tool) bool { return t.Name == name || t.Wire == name })
	if i < 0 {
		return Tool{}, false
	}
	return list[i], true
}

// checkToolCount returns the reason why the session cannot have more tools, or "".
func (s *Session) checkToolCount(added []Tool) string {
	count := len(s.own)
	for _, t := range added {
		if !hasName(s.own, t.Name) {
			count++
		}
	}
	if count > raw.LimitVirtualTools {
		return "adds " + strconv.Itoa(count) + " virtual tools to the session (limit 64)"
	}
	return ""
}

// addVirtualTools stores virtual tools for the session, in which a name keeps its owner.
func (s *Session) addVirtualTools(added []Tool) {
	for _, t := range added {
		if i := slices.IndexFunc(s.own, func(o Tool) bool { return o.Name == t.Name }); i >= 0 {
			s.own[i] = t
			continue
		}
		s.own = append(s.own, t)
	}
}

// toolsJSON returns the result of the import tools.
func (s *Session) toolsJSON() []byte {
	type entry struct {
		Name   string              `json:"name"`
		Wire   string              `json:"wire"`
		Kind   controller.ToolKind `json:"kind"`
		Own    bool                `json:"own"`
		Hidden bool                `json:"hidden"`
		Stale  bool                `json:"stale"`
		Tool   json.RawMessage     `json:"tool"`
	}
	list := []entry{}
	for _, t := range s.allTools() {
		list = append(list, entry{t.Name, t.Wire, t.Kind, t.Own, t.Hidden, t.Stale, json.RawMessage(t.Definition)})
	}
	return marshal(list)
}

// serversJSON returns the result of the import servers.
func (s *Session) serversJSON() []byte {
	type entry struct {
		Name  string `json:"name"`
		State string `json:"state"`
		Tools int    `json:"tools"`
		Error string `json:"error"`
	}
	list := []entry{}
	for _, v := range s.servers() {
		list = append(list, entry(v))
	}
	return marshal(list)
}

// servers returns Servers, or by default the servers of Tools.
func (s *Session) servers() []controller.Server {
	if s.Servers != nil {
		return s.Servers
	}
	var list []controller.Server
	for _, t := range s.Tools {
		if t = t.withDefaults(); t.Kind != controller.UpstreamTool {
			continue
		}
		name, _, _ := strings.Cut(t.Name, "/")
		i := slices.IndexFunc(list, func(v controller.Server) bool { return v.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, controller.Server{Name: name, State: "ready"})
		}
		list[i].Tools++
	}
	return list
}
