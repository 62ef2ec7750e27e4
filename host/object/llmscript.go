package object

import (
	"os"
	"path/filepath"
	"time"
)

// LLMAnswer is one rule of a fake provider: the first that matches, and is not
// used up, answers.
type LLMAnswer struct {
	Match   string // occurs in the system text or the prompt; empty: always
	Answer  string // empty: an echo of the end of the prompt
	Latency Duration
	Times   int // how often the rule answers; 0: always

	Fault      string   // one of LLMFaults; empty: none
	RetryAfter Duration // of the fault 429
}

// LLMFaults are the ways in which a fake provider misbehaves: it answers with the
// status 429 or 500, a page of HTML, half an answer, nothing ever, prose where JSON
// was asked for, an answer without text, or one that its bound has cut.
var LLMFaults = []string{"429", "500", "html", "half", "hang", "prose", "empty", "cut"}

func (f *fields) llmFake(p *LLMProvider) {
	if p.Model == "" {
		p.Model = LLMFake
	}
	p.Script, _ = f.str("script")
	p.Answers = f.llmAnswers("answers")
	if v, ok := f.v.Lookup("script"); ok && p.Answers != nil {
		f.fail(v.At, f.path+"script", "stands beside answers, want one of the two")
	}
}

func (f *fields) llmAnswers(name string) (list []LLMAnswer) {
	for i, item := range f.list(name) {
		list = append(list, f.llmAnswer(item, f.path+at(name, i)))
	}
	return list
}

func (r *reader) llmAnswer(v Value, path string) (a LLMAnswer) {
	f := r.mapping(v, path)
	a.Match, _ = f.str("match")
	a.Answer, _ = f.str("answer")
	a.Latency = f.duration("latency", 0)
	a.Times = f.integer("times", 0, 1, 1<<30)
	if fault, ok := f.get("fault"); ok && fault.Type == Number {
		f.fail(fault.At, f.path+"fault", "is a number, put it in quotes: %q", fault.Text)
	} else {
		a.Fault = f.word("fault", "", LLMFaults...)
	}
	a.RetryAfter = f.duration("retryAfter", 0)
	if after, _ := f.v.Lookup("retryAfter"); a.RetryAfter%Duration(time.Second) != 0 {
		f.fail(after.At, f.path+"retryAfter", "is %s, want whole seconds: HTTP knows no others", a.RetryAfter)
	}
	f.done()
	return a
}

// LoadLLMScript reads the script of a fake provider: YAML or JSON with a list
// answers.
//
// Errors: Errors for mistakes, with their place in the file.
func LoadLLMScript(path string) ([]LLMAnswer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, diskError(filepath.Base(path), err)
	}
	defer f.Close()
	data, err := readBounded(f)
	if err != nil {
		return nil, err
	}
	var errs Errors
	src := newSource(filepath.Base(path), string(data))
	docs := parseFile(src, data, &errs)
	if len(docs) == 0 {
		return nil, errs.Err()
	}
	top := (&reader{src: src, errs: &errs}).mapping(docs[0].root, "")
	answers := top.llmAnswers("answers")
	top.done()
	return answers, errs.Err()
}
