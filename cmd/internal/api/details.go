package api

// ServerDetails is Object.Details of a server.
type ServerDetails struct {
	Transport string       `json:"transport"` // stdio or http
	State     ServerStatus `json:"state"`
	UsedBy    []string     `json:"usedBy,omitempty"` // projects
}

// ProjectDetails is Object.Details of a project: its effective settings, including
// defaults.
type ProjectDetails struct {
	ProxyMode  string   `json:"proxyMode"`
	ProxyModel string   `json:"proxyModel"`
	Servers    []string `json:"servers"`
	ToolNames  string   `json:"toolNames"`
	Gated      bool     `json:"gated"`
	Greeting   string   `json:"greeting,omitempty"` // of a gated project
	Prompts    []Prompt `json:"prompts,omitempty"`  // as its sessions see them
	LLM        string   `json:"llm"`                // provider of its LLM requests and the reason, on one line
	Endpoint   string   `json:"endpoint,omitempty"`
	Overrides  []Model  `json:"overrides,omitempty"`  // in the order of the file
	MaxAnswer  int      `json:"maxAnswerTokens"`      // 0: no limit
	AllowTools []string `json:"allowTools,omitempty"` // globs for server/tool
	DenyTools  []string `json:"denyTools,omitempty"`
	Unmatched  []string `json:"unmatchedTools,omitempty"` // globs that match no tool, each with its field
	Tools      []Tool   `json:"tools,omitempty"`          // the name table of the servers that have been listed
}

// Model is the proxymodel of the sources that match a pattern.
type Model struct {
	For        string `json:"for"` // prompts, toolResults, resources
	Pattern    string `json:"pattern"`
	ProxyModel string `json:"proxyModel"`
}

// Tool is one row of a project's name table.
type Tool struct {
	Label       string `json:"label"` // server/tool
	Wire        string `json:"wire"`
	NotOffered  string `json:"notOffered,omitempty"`  // why the project does not offer it
	SavedTokens int    `json:"savedTokens,omitempty"` // estimate for its definition, if it is not offered
}

// ModelDetails is Object.Details of a proxymodel.
type ModelDetails struct {
	Controllers []string     `json:"controllers"`
	Stages      []ModelStage `json:"stages"`
	RequiresLLM string       `json:"requiresLLM"` // no, optional, yes
	Cacheable   bool         `json:"cacheable"`
	AppliesTo   []string     `json:"appliesTo"`
	UsedBy      []string     `json:"usedBy,omitempty"` // projects
}

// ModelStage is one stage of a proxymodel with its effective config.
type ModelStage struct {
	Type   string         `json:"type"`
	Kind   string         `json:"kind,omitempty"`
	Config map[string]any `json:"config,omitempty"`
}
