package dispatch

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// reading returns the effects of reading a stored text.
func reading(text, arguments string) controllertest.Effects {
	s := &controllertest.Session{Role: "dispatch", Config: `{"resultSizeThreshold":1}`, Contents: []controllertest.Content{{Text: text}}}
	s.ToolsList()
	return s.Call(toolName, `{"action":"readresult","resultFile":"`+controllertest.Ref(text)+`"`+arguments+`}`)
}

// Lines are numbered from 1; a last line needs no line end.
func TestOpsReturnExactBytes(t *testing.T) {
	const text = "a\r\nb\n\nd\tä\ne"
	for _, c := range []struct{ rule, text, arguments, want string }{
		{"head", text, `,"op":"head","lines":2`, "a\r\nb\n"},
		{"head of more lines than exist", text, `,"op":"head"`, text},
		{"tail", text, `,"op":"tail","lines":2`, "d\tä\ne"},
		{"tail of more lines than exist", text, `,"op":"tail"`, text},
		{"tail after a line end", "a\nb\n", `,"op":"tail","lines":1`, "b\n"},
		{"slice", text, `,"op":"slice","fromLine":2,"toLine":4`, "b\n\nd\tä\n"},
		{"slice of one line", text, `,"op":"slice","fromLine":3,"toLine":3`, "\n"},
		{"slice beyond the end", text, `,"op":"slice","fromLine":5,"toLine":500`, "e"},
		{"read", text, `,"op":"read"`, text},
		{"read with no limit", text, `,"op":"read","maxBytes":0`, text},
		{"read with a limit that cuts no character", text, `,"op":"read","maxBytes":9`, "a\r\nb\n\nd\t"},
		{"head of nothing", "", `,"op":"head"`, ""},
		{"tail of nothing", "", `,"op":"tail"`, ""},
		{"read of nothing", "", `,"op":"read"`, ""},
	} {
		if e := reading(c.text, c.arguments); e.Outcome != stagetest.Done || e.Answer != c.want || e.Kind != 0 {
			t.Errorf("%s: %s %q %s, want %q", c.rule, e.Outcome, e.Answer, e.Reason, c.want)
		}
	}
}

func TestStatIsTheDefault(t *testing.T) {
	for text, lines := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		var got struct {
			ByteSize, LineCount, EstimatedTokens int
			ResultFile, Op                       string
		}
		e := reading(text, "")
		if err := json.Unmarshal([]byte(e.Answer), &got); err != nil || got.ByteSize != len(text) || got.LineCount != lines || got.ResultFile != controllertest.Ref(text) || got.Op != "stat" {
			t.Errorf("%q: %s, %v", text, e.Answer, err)
		}
	}
}

func TestGrep(t *testing.T) {
	text := "one\ntwo\nthree\nTWO\nfive\nsix\nseven\ntwo two\n"
	for _, c := range []struct{ rule, text, arguments, want string }{
		{"case is ignored, one line for two matches", text, `,"pattern":"two"`, "2:two\n4:TWO\n8:two two\n"},
		{"overlapping context is shown once", text, `,"pattern":"two","context":1`, "1-one\n2:two\n3-three\n4:TWO\n5-five\n--\n7-seven\n8:two two\n"},
		{"anchors match at lines", text, `,"pattern":"^s.*n$"`, "7:seven\n"},
		{"empty lines match", "a\n\nb", `,"pattern":"^$"`, "2:\n"},
		{"a pattern that matches anywhere", "a\nb", `,"pattern":"x*"`, "1:a\n2:b\n"},
		{"a match across a line end", text, `,"pattern":"one\ntwo"`, "1:one\n"},
		{"no match", text, `,"pattern":"zero"`, "no line matches"},
		{"a part of a long line, with its offset", strings.Repeat("ä", 600) + "HERE" + strings.Repeat("ä", 600), `,"pattern":"here"`,
			"1@1000:" + strings.Repeat("ä", 100) + "HERE" + strings.Repeat("ä", 100) + "\n"},
	} {
		if e := reading(c.text, `,"op":"grep"`+c.arguments); e.Outcome != stagetest.Done || e.Answer != c.want {
			t.Errorf("%s: %s %q %s, want %q", c.rule, e.Outcome, e.Answer, e.Reason, c.want)
		}
	}
}

func TestHostilePatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"(":                        "pattern: ",
		strings.Repeat("a", 5000):  "pattern has 5000 bytes, at most 4096",
		"((((a{1000}){1000}){9}))": "pattern: ",
		"":                         "pattern is missing",
	} {
		b, _ := json.Marshal(pattern)
		if e := reading("aaaa", `,"op":"grep","pattern":`+string(b)); e.Outcome != stagetest.Done || !strings.HasPrefix(e.Answer, want) {
			t.Errorf("%.20q: %+v", pattern, e)
		}
	}
}

// An answer is bounded, ends at a character, and is never a ref.
func TestReadingIsBoundedAndNeverSpills(t *testing.T) {
	line := strings.Repeat("ä", 30_001)
	many := strings.Repeat("line of a text\n", 100_000)
	for _, c := range []struct {
		rule, text, arguments string
		most                  int
	}{
		{"one long line", line, `,"op":"head"`, maxAnswer},
		{"the end of one long line", line, `,"op":"tail"`, maxAnswer},
		{"many lines", many, `,"op":"head","lines":1000000`, maxAnswer},
		{"matches of many lines", many, `,"op":"grep","pattern":"l"`, maxAnswer},
		{"matches in one line", strings.Repeat("a", 1<<20), `,"op":"grep","pattern":"a"`, maxAnswer},
		{"context of many lines", many, `,"op":"grep","pattern":"text","context":100`, maxAnswer},
		{"all", line, `,"op":"read"`, len(line)},
		{"a limit that is larger", line, `,"op":"read","maxBytes":30000000`, len(line)},
		{"all of a content that is too large", many, `,"op":"read"`, 300},
	} {
		e := reading(c.text, c.arguments)
		if e.Outcome != stagetest.Done || len(e.Answer) > c.most || len(e.Answer) < 80 || !utf8.ValidString(e.Answer) || strings.Contains(e.Answer, "resultFile") || e.Kind&4 != 0 {
			t.Errorf("%s: %s, %d bytes %.100q %s", c.rule, e.Outcome, len(e.Answer), e.Answer, e.Reason)
		}
	}
}

// Hundreds of tools are listed as far as they fit, if needed without descriptions.
func TestCatalogueIsBounded(t *testing.T) {
	s := &controllertest.Session{Role: "dispatch"}
	for i := range 600 {
		name := "tool_" + strings.Repeat("x", 60) + strconv.Itoa(i)
		s.Tools = append(s.Tools, controllertest.Tool{Name: "big/" + name, Definition: `{"name":"big__` + name + `","description":"` + strings.Repeat("long ", 300) + `","inputSchema":{"type":"object"}}`})
	}
	s.ToolsList()
	for _, c := range []struct{ arguments, want string }{
		{`{"action":"list"}`, `"toolsLeftOut":`},
		{`{"action":"search","query":"tool long","limit":100}`, `"found":600`},
		{`{"action":"list","includeInputSchema":true}`, `"toolsLeftOut":`},
	} {
		e := s.Call(toolName, c.arguments)
		if len(e.Answer) > maxAnswer+500 || !json.Valid([]byte(e.Answer)) || !strings.Contains(e.Answer, c.want) {
			t.Errorf("%s: %d bytes %.200s %s", c.arguments, len(e.Answer), e.Answer, e.Reason)
		}
	}
}

// ref, the name in read_section, is accepted for resultFile.
func TestRefIsAcceptedAsResultFile(t *testing.T) {
	s := &controllertest.Session{Role: "dispatch", Contents: []controllertest.Content{{Text: "a\nb\n"}}}
	s.ToolsList()
	e := s.Call(toolName, `{"action":"readresult","ref":"`+controllertest.Ref("a\nb\n")+`","resultFile":"","op":"tail","lines":"1"}`)
	if !strings.HasPrefix(e.Answer, "b\n") {
		t.Errorf("%+v", e)
	}
}
