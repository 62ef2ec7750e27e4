package summarizetree

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

const text = "The section tells at length how the thing is set up, used and taken down again by those who run it. "

// document returns a text with one section of two parts, too long to be quoted whole,
// and one short section.
func document() stagetest.Call {
	part := strings.Repeat(text, 80) + "\n\n"
	input := "# Long\n\n" + part + "## First\n\n" + part + "## Second\n\n" + part + "# Short\n\nA few words.\n"
	at := func(heading string) int { return strings.Index(input, heading) }
	return stagetest.Call{Input: input, Sections: []stagetest.Section{
		{Parent: -1, Start: 0, End: at("# Short"), ID: "long", Title: "Long"},
		{Parent: 0, Start: at("## First"), End: at("## Second"), ID: "first", Title: "First"},
		{Parent: 0, Start: at("## Second"), End: at("# Short"), ID: "second", Title: "Second"},
		{Parent: -1, Start: at("# Short"), End: len(input), ID: "short", Title: "Short"},
	}}
}

// asked runs the stage and returns its questions.
func asked(c stagetest.Call, reply func(stagetest.Question) stagetest.Reply) ([]stagetest.Question, stagetest.Result) {
	var questions []stagetest.Question
	c.LLM = func(q stagetest.Question) stagetest.Reply {
		questions = append(questions, q)
		return reply(q)
	}
	return questions, stagetest.Run("summarize-tree", c)
}

func stored(answer string) func(stagetest.Question) stagetest.Reply {
	return func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: answer, Stored: true} }
}

func TestLongSectionsAreSummarizedUpperLevelsFirst(t *testing.T) {
	questions, r := asked(document(), stored("About it.\nAnd more."))
	if len(questions) != 3 || r.Outcome != stagetest.Pass || r.Provisional {
		t.Fatalf("%d questions, %s, provisional %t", len(questions), r.Outcome, r.Provisional)
	}
	for i, want := range []string{"LLM: About it. And more.", "LLM: About it. And more.", "LLM: About it. And more.", ""} {
		if got := r.Sections[i].Summary; got != want {
			t.Errorf("section %d: %q, want %q", i, got, want)
		}
	}
	first := questions[0]
	if !first.Background || first.MaxTokens != 200 || !strings.Contains(first.System, "MUST") {
		t.Errorf("%+v", first)
	}
	if !strings.Contains(first.Prompt, "<quote>## First") || !strings.Contains(first.Prompt, "<quote>## Second") || len(first.Prompt) > maxQuote {
		t.Errorf("a long section is not quoted by its parts, %d bytes", len(first.Prompt))
	}
	if !strings.HasPrefix(questions[1].Prompt, "<quote>## First") || !strings.Contains(questions[1].Prompt, text+"\n\n</quote>") {
		t.Errorf("a short one is not quoted whole: %.60q", questions[1].Prompt)
	}
}

func TestConfigOfSummaries(t *testing.T) {
	for _, c := range []struct {
		rule, config string
		questions    int
		outcome      stagetest.Outcome
	}{
		{"one level", `{"maxDepth":1}`, 1, stagetest.Pass},
		{"sections shorter than two summaries are skipped", `{"maxSummaryTokens":2000}`, 1, stagetest.Pass},
		{"one part per group", `{"maxGroupSize":1}`, 3, stagetest.Pass},
		{"a leaf is the full content", `{"leafIsFullContent":true}`, 3, stagetest.Pass},
		{"a leaf must be the full content", `{"leafIsFullContent":false}`, 0, stagetest.Fail},
	} {
		call := document()
		call.Config = c.config
		questions, r := asked(call, stored("It."))
		if len(questions) != c.questions || r.Outcome != c.outcome {
			t.Errorf("%s: %d questions, %s %s", c.rule, len(questions), r.Outcome, r.Reason)
		}
	}
}

func TestMissingAnswersAreProvisional(t *testing.T) {
	for rule, reply := range map[string]stagetest.Reply{
		"later":  {Later: true},
		"failed": {Err: stage.Upstream},
	} {
		_, r := asked(document(), func(stagetest.Question) stagetest.Reply { return reply })
		if r.Outcome != stagetest.Pass || !r.Provisional || r.Sections[0].Summary != "" {
			t.Errorf("%s: %s, provisional %t, %q", rule, r.Outcome, r.Provisional, r.Sections[0].Summary)
		}
	}
	_, r := asked(document(), func(stagetest.Question) stagetest.Reply {
		return stagetest.Reply{Text: "A whole sentence. And half of", Cut: true}
	})
	if got := r.Sections[0].Summary; got != "LLM: A whole sentence." {
		t.Errorf("cut: %q", got)
	}
}

func TestRequestsBeyondTheLimitAreDeferred(t *testing.T) {
	call := document()
	call.Context.Limits.LLMRequests = 2
	n := 0
	_, r := asked(call, func(stagetest.Question) stagetest.Reply { n++; return stagetest.Reply{Text: "It."} })
	if r.Outcome != stagetest.Pass || !r.Provisional || r.Sections[0].Summary != "LLM: It." || r.Sections[2].Summary != "" {
		t.Errorf("%s, provisional %t: %+v", r.Outcome, r.Provisional, r.Sections)
	}
}

func TestContentThatIsNotSummarized(t *testing.T) {
	json := `{"a":"` + strings.Repeat(text, 40) + `"}`
	for rule, c := range map[string]stagetest.Call{
		"JSON":          {Input: json, Sections: []stagetest.Section{{Parent: -1, Start: 5, End: len(json) - 1, ID: "a", Title: "a"}}},
		"a group":       {Input: document().Input, Sections: []stagetest.Section{{Parent: -1, Kind: stage.Group, ID: "@g", Title: "g"}}},
		"no sections":   {Input: document().Input},
		"has a summary": {Input: document().Input, Sections: []stagetest.Section{{Parent: -1, Start: 0, End: 9000, ID: "a", Title: "a", Summary: "known"}}},
	} {
		if questions, r := asked(c, stored("It.")); len(questions) != 0 || r.Outcome != stagetest.Pass {
			t.Errorf("%s: %d questions, %s", rule, len(questions), r.Outcome)
		}
	}
}

func TestDutiesMissingInSummaryAreReported(t *testing.T) {
	body := strings.Repeat(text+"\n", 20)
	input := "# Rules\n\n" + body + "Tokens MUST be rotated every ninety days.\nPasswords are NEVER written to logs.\n" + body
	call := stagetest.Call{Input: input, Sections: []stagetest.Section{{Parent: -1, Start: 0, End: len(input), ID: "rules", Title: "Rules"}}}
	for _, c := range []struct{ rule, summary, want string }{
		{"both kept", "Tokens must be rotated every ninety days; passwords are never written to logs.", ""},
		{"one dropped", "How it runs. Tokens MUST be rotated every ninety days.", "rules: Passwords are NEVER written to logs."},
		{"both dropped", "How it runs.", "rules: Tokens MUST be rotated every ninety days.\nrules: Passwords are NEVER written to logs."},
	} {
		_, r := asked(call, stored(c.summary))
		if got := r.Meta["unsaid"]; got != c.want || (c.want != "") != (len(r.Log) == 1) {
			t.Errorf("%s: %q, want %q, %d log lines", c.rule, got, c.want, len(r.Log))
		}
	}
}
