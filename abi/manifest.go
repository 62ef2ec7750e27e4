package abi

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ManifestSection is the name of the custom section that holds a Manifest.
const ManifestSection = "mcpctl.manifest"

// RoleKind is the job of a role: stage, filter or controller.
type RoleKind string

// The role kinds.
const (
	KindStage      RoleKind = "stage"
	KindFilter     RoleKind = "filter"
	KindController RoleKind = "controller"
)

// CapabilityArguments lets a stage read the arguments of the call.
const CapabilityArguments = "arguments"

// Values of Role.LLM.
const (
	LLMNone     = "none"
	LLMOptional = "optional"
	LLMRequired = "required"
)

// Manifest describes a module. It is read from a custom section without running the
// module.
type Manifest struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	ABI     string `json:"abi"` // lowest ABI version that the module needs, "1.0"
	Summary string `json:"summary,omitempty"`
	License string `json:"license,omitempty"`
	Roles   []Role `json:"roles"`
}

// Role returns the role of a name.
func (m Manifest) Role(name string) (Role, bool) {
	for _, r := range m.Roles {
		if r.Name == name {
			return r, true
		}
	}
	return Role{}, false
}

// Role is one job of a module.
type Role struct {
	Name          string        `json:"name"`
	Kind          RoleKind      `json:"kind"`
	Summary       string        `json:"summary,omitempty"`
	Transforms    *bool         `json:"transforms,omitempty"` // nil means true; false means that it always returns PASS
	LLM           string        `json:"llm,omitempty"`        // none (default), optional, required
	Config        []ConfigField `json:"config,omitempty"`
	Capabilities  []string      `json:"capabilities,omitempty"` // cache, llm, session, arguments
	Notifications []string      `json:"notifications,omitempty"`
	Hooks         []Hook        `json:"hooks,omitempty"`     // of a controller: the hooks to call; empty: all that the module exports
	GatedOnly     bool          `json:"gatedOnly,omitempty"` // a controller that is skipped in projects with gated: false
	Examples      []string      `json:"examples,omitempty"`
}

// CheckKinds returns an error if a role of before has another kind in after. A filter
// that became a stage would no longer withhold content when it fails, and a stage that
// became a controller would leave content unchanged, in every proxymodel that uses it. A
// stage may become a filter, because that discloses nothing.
//
// Errors: ErrConflict.
func CheckKinds(before, after []Role) error {
	for _, old := range before {
		for _, r := range after {
			if r.Name == old.Name && r.Kind != old.Kind && (old.Kind != KindStage || r.Kind != KindFilter) {
				return fmt.Errorf("%w: %q is a %s, and the new version a %s: delete the %s first, or give the new one another name",
					ErrConflict, r.Name, old.Kind, r.Kind, old.Kind)
			}
		}
	}
	return nil
}

// Transforming reports whether the role may change content.
func (r Role) Transforming() bool { return r.Transforms == nil || *r.Transforms }

// ReadsArguments reports whether the role may read the arguments of the call.
func (r Role) ReadsArguments() bool {
	return r.Kind == KindStage && slices.Contains(r.Capabilities, CapabilityArguments)
}

// ConfigField is one key of a role's config.
//
// Type is one of string, int, number, bool, enum, strings, json. Values lists the values
// of an enum, or restricts a bool to "true" or "false".
type ConfigField struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Default json.RawMessage `json:"default,omitempty"`
	Min     *float64        `json:"min,omitempty"`
	Max     *float64        `json:"max,omitempty"`
	Values  []string        `json:"values,omitempty"`
	Help    string          `json:"help,omitempty"`
}
