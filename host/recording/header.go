package recording

import (
	"encoding/json"
	"time"
)

// Format is the version of the files.
const Format = 1

// Header is the first line of a file: the session, and the configuration that its answers
// depend on.
type Header struct {
	Format     int               `json:"mcpctlRecording"`
	Version    string            `json:"version"` // of mcpctl
	Project    string            `json:"project"`
	Session    string            `json:"session"` // opaque, as in events
	Client     string            `json:"client,omitempty"`
	Started    time.Time         `json:"started"`
	ProxyModel string            `json:"proxyModel"`
	Spec       json.RawMessage   `json:"spec"`               // of the project
	Models     map[string]string `json:"models,omitempty"`   // revision of each proxymodel of the project
	Modules    map[string]string `json:"modules,omitempty"`  // hash of the module of each of their roles
	Settings   map[string]string `json:"settings,omitempty"` // of the home, that shape answers
}

// Tool is a tool of a server.
type Tool struct {
	Server     string          `json:"server"`
	Definition json.RawMessage `json:"definition"` // as the server sent it
}

// note is a line that is not an exchange.
type note struct {
	Tools   []Tool `json:"tools,omitempty"`   // of the servers, from here on
	Dropped int    `json:"dropped,omitempty"` // exchanges that were not written, because the disk was too slow
	End     string `json:"end,omitempty"`     // why nothing follows
}
