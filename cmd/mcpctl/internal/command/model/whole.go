package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// step is a stage of the model with its config.
type step struct {
	role   string
	config []byte // JSON
}

// stepsOf returns the known stages of a model.
func stepsOf(ctx context.Context, h *host.Host, model string) (steps []step) {
	m, err := h.Model(ctx, model)
	if err != nil {
		return nil // it has run
	}
	for _, st := range m.Steps {
		steps = append(steps, step{st.Type, st.Config})
	}
	return steps
}

// shownWhole returns the reason why a client receives a content unchanged, or "" if it does not.
func shownWhole(input []byte, res lab.ModelResult, steps []step) string {
	if res.Meta.Kind != "" || res.Withheld || res.IsError || !bytes.Equal(res.Text, input) {
		return ""
	}
	stages := res.Report.Stages
	if len(stages) == 0 {
		return "shown whole: no stage of " + res.Report.Model + " is for tool results"
	}
	last := stages[len(stages)-1]
	for _, st := range stages {
		switch {
		case st.Outcome == "failed" && st.Skipped:
			return fmt.Sprintf("shown whole: %s is out of service for a while, having failed", st.Role)
		case st.Outcome == "failed":
			return fmt.Sprintf("shown whole: %s failed, so its input passes unchanged", st.Role)
		case st.Outcome != "pass":
			last = st
		}
	}
	if last.Outcome == "pass" {
		return "shown whole: " + passed(stages) + tooSmall(len(input), steps)
	}
	if last.OutBytes == len(input) {
		return fmt.Sprintf("shown whole: %s returned its input", last.Role)
	}
	return "shown whole: an index would not be 40 % shorter, which is not worth a second call"
}

// passed names the stages, all of which have passed.
func passed(stages []flow.StageReport) string {
	names := make([]string, len(stages))
	for i, st := range stages {
		names[i] = st.Role
	}
	last := len(names) - 1
	if last == 0 {
		return names[0] + " changed nothing"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " changed nothing"
}

// sizes are the config keys of built-in stages below which a content passes unchanged.
var sizes = []string{"minSize", "pageSize"}

// tooSmall names the first of these that the content does not reach.
func tooSmall(size int, steps []step) string {
	for _, st := range steps {
		var config map[string]any
		if json.Unmarshal(st.config, &config) != nil {
			continue
		}
		for _, key := range sizes {
			if least, ok := config[key].(float64); ok && size < int(least) {
				return fmt.Sprintf(": the content has %s, and %s of %s is %s", printer.Plural(size, "byte"), key, st.role, printer.Count(int(least)))
			}
		}
	}
	return ""
}
