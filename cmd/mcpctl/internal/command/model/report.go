package model

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// runReport is the output of -o json and yaml, which scripts depend on.
type runReport struct {
	Text   string          `json:"text"`
	Meta   flow.AnswerMeta `json:"meta"` // _meta of the answer
	Report figures         `json:"report"`
}

// figures describe how the text was created. Tokens are estimates.
type figures struct {
	ProxyModel string             `json:"proxyModel"`
	Type       string             `json:"type,omitempty"`       // of the content, as a stage found it
	Confidence string             `json:"confidence,omitempty"` // how far that can be relied on
	Original   amount             `json:"original"`
	Answer     amount             `json:"answer"`
	Stages     []flow.StageReport `json:"stages"`
}

type amount struct {
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"`
}

func amountOf(text []byte) amount { return amount{len(text), abi.EstimateTokens(text)} }

func newRunReport(opts *RunOptions, input []byte, res lab.ModelResult) runReport {
	f := figures{
		ProxyModel: res.Report.Model, Type: res.Report.Type, Original: amountOf(input), Answer: amountOf(res.Text),
		Stages: res.Report.Stages,
	}
	if f.ProxyModel == "" {
		f.ProxyModel = opts.Model
	}
	if f.Stages == nil {
		f.Stages = []flow.StageReport{} // a list in any case
	}
	for _, st := range f.Stages {
		if v := st.Meta["confidence"]; v != "" {
			f.Confidence = v
		}
	}
	return runReport{Text: string(res.Text), Meta: res.Meta, Report: f}
}

// summary is the report in a line for a person.
func (f figures) summary() string {
	var parts []string
	if f.Type != "" {
		kind := f.Type
		if f.Confidence != "" {
			kind += " (" + f.Confidence + ")"
		}
		parts = append(parts, kind)
	}
	parts = append(parts, printer.Count(f.Original.Bytes)+" bytes, "+printer.Plural(f.Original.Tokens, "token")+
		" -> "+printer.Plural(f.Answer.Tokens, "token")+" est.")
	return strings.Join(parts, ", ")
}
