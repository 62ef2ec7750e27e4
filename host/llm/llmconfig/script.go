package llmconfig

import (
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Answer is one rule of a fake provider. The first rule that matches and is not used up
// gives the answer.
type Answer struct {
	Match   string // must occur in the system text or the prompt; empty matches always
	Answer  string // empty repeats the end of the prompt
	Latency strictyaml.Duration
	Times   int // how often the rule can be used; 0 is unlimited

	Fault      string              // one of Faults, or empty
	RetryAfter strictyaml.Duration // of the fault 429
}

// Faults are the errors that a fake provider can simulate: the status 429 or 500, an HTML
// page, half an answer, no answer at all, prose instead of JSON, an answer without text,
// and an answer that is cut at its maximum length.
var Faults = []string{"429", "500", "html", "half", "hang", "prose", "empty", "cut"}

func readFake(m *strictyaml.Mapping, p *Provider) {
	if p.Model == "" {
		p.Model = Fake
	}
	p.Script, _ = m.Text("script")
	p.Answers = ReadAnswers(m, "answers")
	if v, ok := m.Value().Lookup("script"); ok && p.Answers != nil {
		m.Fail(v.At, m.Path("script"), "is set together with answers, want one of the two")
	}
}

// ReadAnswers reads a list of Answers.
func ReadAnswers(m *strictyaml.Mapping, name string) (list []Answer) {
	for i, item := range m.List(name) {
		list = append(list, readAnswer(m.Mapping(item, m.Path(strictyaml.ItemPath(name, i)))))
	}
	return list
}

func readAnswer(m *strictyaml.Mapping) (a Answer) {
	a.Match, _ = m.Text("match")
	a.Answer, _ = m.Text("answer")
	a.Latency = m.Duration("latency", 0)
	a.Times = m.Int("times", 0, 1, 1<<30)
	if fault, ok := m.Get("fault"); ok && fault.Type == strictyaml.Number {
		m.Fail(fault.At, m.Path("fault"), "is a number, put it in quotes: %q", fault.Text)
	} else {
		a.Fault = m.Word("fault", "", Faults...)
	}
	a.RetryAfter = m.Duration("retryAfter", 0)
	if after, _ := m.Value().Lookup("retryAfter"); a.RetryAfter%strictyaml.Duration(time.Second) != 0 {
		m.Fail(after.At, m.Path("retryAfter"), "is %s, want whole seconds, because HTTP allows no fractions", a.RetryAfter)
	}
	m.Done()
	return a
}

// LoadScript reads the script of a fake provider: a YAML or JSON file with a list answers.
//
// It returns strictyaml.Errors if the file is invalid.
func LoadScript(path string) ([]Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, homedir.DiskError(filepath.Base(path), err)
	}
	defer f.Close()
	data, err := homedir.ReadAtMost(f, strictyaml.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	var errs strictyaml.Errors
	src := strictyaml.NewSource(filepath.Base(path), string(data))
	docs := strictyaml.Parse(src, data, &errs)
	if len(docs) == 0 {
		return nil, errs.Err()
	}
	top := strictyaml.NewReader(src, &errs).Mapping(docs[0].Root, "")
	answers := ReadAnswers(top, "answers")
	top.Done()
	return answers, errs.Err()
}
