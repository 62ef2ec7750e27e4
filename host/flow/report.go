package flow

import "github.com/mcpctl/mcpctl/abi"

// RunReport describes one pass through the pipeline, for an event.
type RunReport struct {
	Model  string        `json:"model"`
	Type   string        `json:"type,omitempty"` // detected type, as a stage set it with meta_set("type")
	Stages []StageReport `json:"stages"`
}

// StageReport is one stage's part in a RunReport.
type StageReport struct {
	Role        string            `json:"role"`
	ModuleHash  string            `json:"moduleHash,omitempty"`
	Outcome     string            `json:"outcome"` // done, pass, cached, failed, blocked
	Error       string            `json:"error,omitempty"`
	Skipped     bool              `json:"skipped,omitempty"` // not run because it is out of service
	Reason      string            `json:"reason,omitempty"`  // why the host runs it although the proxymodel does not name it
	Micros      int64             `json:"micros"`
	InBytes     int               `json:"inBytes"`
	OutBytes    int               `json:"outBytes"`
	InHash      string            `json:"inHash,omitempty"`      // first 16 hex digits of the SHA-256 of the input
	OutHash     string            `json:"outHash,omitempty"`     // likewise of the output
	CacheKey    string            `json:"cacheKey,omitempty"`    // first 16 hex digits of the key, as get cache prints them
	Memory      int               `json:"memoryBytes,omitempty"` // of the guest at the end of the run; 0 if it did not run
	LLMRequests int               `json:"llmRequests,omitempty"` // sent, or answered with a stored answer; 0 if the output is cached
	Meta        map[string]string `json:"meta,omitempty"`
	Log         []abi.LogLine     `json:"log,omitempty"`
}

// HookReport describes one run of a controller's hook, for an event.
type HookReport struct {
	Role        string   `json:"role"`
	Hook        abi.Hook `json:"hook"`
	ModuleHash  string   `json:"moduleHash,omitempty"`
	Outcome     string   `json:"outcome"` // done, pass, failed
	Error       string   `json:"error,omitempty"`
	Micros      int64    `json:"micros"`
	TimeMs      int64    `json:"timeMs,omitempty"`      // HookContext.TimeMs of the run, Unix milliseconds
	Rewrite     string   `json:"rewrite,omitempty"`     // the tool that the call was rewritten to
	LLMRequests int      `json:"llmRequests,omitempty"` // as in StageReport

	Meta map[string]string `json:"meta,omitempty"` // values set with meta_set; empty if the hook failed
	Log  []abi.LogLine     `json:"log,omitempty"`
}
