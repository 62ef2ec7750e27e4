package api

// Rule is what a binding allows the caller: an element of GET /auth/rules. It does not have the
// subjects of the binding. A list that is absent matches everything.
type Rule struct {
	Binding  string   `json:"binding"`
	Verbs    []string `json:"verbs"`
	Kinds    []string `json:"kinds,omitempty"` // as in a manifest
	Names    []string `json:"names,omitempty"`
	Projects []string `json:"projects,omitempty"`
}
