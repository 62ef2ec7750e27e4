package stage

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/lab"
)

// report is the output of -o json and yaml.
type report struct {
	Role        string            `json:"role"`
	Outcome     string            `json:"outcome"`          // done, pass or fail
	Reason      string            `json:"reason,omitempty"` // of fail
	Output      string            `json:"output"`
	Type        string            `json:"type,omitempty"`
	Sections    []sectionReport   `json:"sections"`
	Meta        map[string]string `json:"meta"`
	Log         []abi.LogLine     `json:"log"`
	GuestMicros []int64           `json:"guestMicros"` // one for each run
	MemoryBytes int               `json:"memoryBytes"`
	HostCalls   int               `json:"hostCalls"`
}

type sectionReport struct {
	ID      string `json:"id"`
	Parent  int    `json:"parent"`
	Kind    string `json:"kind"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Title   string `json:"title,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func newReport(res lab.StageResult, failed error) report {
	r := report{
		Role: res.Role.Name, Outcome: "done", Output: string(res.Text), Type: res.Output.Tree.Type,
		Sections: []sectionReport{}, Meta: res.Output.Meta, Log: res.Output.Log,
		MemoryBytes: res.Output.Stats.MemoryBytes, HostCalls: res.Output.Stats.HostCalls,
	}
	switch {
	case failed != nil:
		r.Outcome, r.Reason = "fail", problem.From(failed).Message
	case res.Output.Pass:
		r.Outcome = "pass"
	}
	for _, s := range res.Output.Tree.Sections {
		r.Sections = append(r.Sections, sectionReport{s.ID, s.Parent, s.Kind.String(), s.Start, s.End, s.Title, s.Summary})
	}
	for _, d := range res.Guest {
		r.GuestMicros = append(r.GuestMicros, d.Microseconds())
	}
	return r
}
