package argument

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

var probe func(r *Reader)

func init() {
	stage.Register("probe", func(c *stage.Ctx) error { probe(Read(c.Input, "/args")); return stage.Pass })
}

// read returns the value that f reads from arguments, and the problem.
func read(t *testing.T, arguments string, f func(r *Reader) any) (value, problem string) {
	t.Helper()
	probe = func(r *Reader) { value, problem = fmt.Sprint(f(r)), r.Problem() }
	if out := stagetest.Run("probe", stagetest.Call{Input: `{"args":` + arguments + `}`}); out.Outcome != stagetest.Pass {
		t.Fatal(out.Reason)
	}
	return value, problem
}

func TestArguments(t *testing.T) {
	text := func(r *Reader) any { return r.Text("x", "def") }
	word := func(r *Reader) any { return r.Word("x", "a", "a", "b") }
	number := func(r *Reader) any { return r.Int("x", 7, 1, 100) }
	ratio := func(r *Reader) any { return r.Number("x", 0.5, 0, 1) }
	yes := func(r *Reader) any { return r.Bool("x", true) }
	texts := func(r *Reader) any { return r.Texts("x") }
	object := func(r *Reader) any {
		b, at, ok := r.Object("x")
		return string(b.Bytes()[at.Start:at.End]) + fmt.Sprint(" ", ok)
	}
	for _, c := range []struct {
		rule, arguments string
		read            func(r *Reader) any
		value, problem  string
	}{
		{"missing", `{}`, text, "def", ""},
		{"null is missing", `{"x":null}`, number, "7", ""},
		{"no arguments at all", `null`, text, "def", ""},
		{"arguments that are a list", `[]`, text, "def", ""},
		{"a string", `{"x":"ä\n"}`, text, "ä\n", ""},
		{"no string", `{"x":[]}`, text, "def", "x is an array, want a string"},
		{"half a surrogate pair", `{"x":"\ud800"}`, text, "", "x: "},
		{"too long", `{"x":"` + strings.Repeat("a", 4097) + `"}`, text, "", "x has 4097 bytes, at most 4096"},
		{"a word", `{"x":"b"}`, word, "b", ""},
		{"no such word", `{"x":"c\u001b[31m"}`, word, "a", `x "c" unknown, want one of a, b`},
		{"a whole number", `{"x":42}`, number, "42", ""},
		{"a whole number with an exponent", `{"x":4.2e1}`, number, "42", ""},
		{"a fraction", `{"x":4.5}`, number, "7", "x is 4.5, want a whole number from 1 to 100"},
		{"a number out of range", `{"x":101}`, number, "7", "x is 101, want a whole number from 1 to 100"},
		{"a number of 400 digits", `{"x":` + strings.Repeat("9", 400) + `}`, number, "7", "x is 9999"},
		{"true is no number", `{"x":true}`, number, "7", "x is a bool, want a number"},
		{"a ratio", `{"x":0.25}`, ratio, "0.25", ""},
		{"a ratio out of range", `{"x":1.5}`, ratio, "0.5", "x is 1.5, want a number from 0 to 1"},
		{"false", `{"x":false}`, yes, "false", ""},
		{"false in a string", `{"x":"false"}`, yes, "false", ""},
		{"a word for false", `{"x":"no"}`, yes, "true", "x is a string, want true or false"},
		{"a number in a string", `{"x":"42"}`, number, "42", ""},
		{"a number out of range in a string", `{"x":"101"}`, number, "7", "x is 101, want a whole number from 1 to 100"},
		{"a ratio in a string", `{"x":" 0.25 "}`, ratio, "0.25", ""},
		{"a word for a number", `{"x":"four"}`, number, "7", "x is a string, want a number"},
		{"true in a string is no number", `{"x":"true"}`, number, "7", "x is a string, want a number"},
		{"an empty string for a number is missing", `{"x":""}`, number, "7", ""},
		{"an empty string for a word is missing", `{"x":""}`, word, "a", ""},
		{"a number is no string", `{"x":4}`, text, "def", "x is a number, want a string"},
		{"a list", `{"x":["a","b"]}`, texts, "[a b]", ""},
		{"a string for a list", `{"x":"a"}`, texts, "[a]", ""},
		{"a list with a null", `{"x":["a",null]}`, texts, "[]", "x holds a null, want a list of strings"},
		{"a list in a string", `{"x":"[\"a\",\"b\"]"}`, texts, "[a b]", ""},
		{"a string that is a list of numbers", `{"x":"[0]"}`, texts, "[[0]]", ""},
		{"a list with a number in a string", `{"x":"[\"a\",1]"}`, texts, "[]", "x holds a number, want a list of strings"},
		{"an object", `{"x":{"a":1}}`, object, `{"a":1} true`, ""},
		{"an object in a string", `{"x":" {\"a\":\"\\n\"}"}`, object, `{"a":"\n"} true`, ""},
		{"an array in a string for an object", `{"x":"[1]"}`, object, " false", "x is a string, want an object"},
		{"text for an object", `{"x":"{} and more"}`, object, " false", "x is a string, want an object"},
		{"the first of duplicate names", `{"x":1,"x":2}`, number, "1", ""},
	} {
		value, problem := read(t, c.arguments, c.read)
		if value != c.value || !strings.HasPrefix(problem, c.problem) || (c.problem == "") != (problem == "") || len(problem) > 200 {
			t.Errorf("%s: %q, %q; want %q, %q", c.rule, value, problem, c.value, c.problem)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	only := func(r *Reader) any { r.RejectOthers("pattern", "mode"); return "" }
	for arguments, want := range map[string]string{
		`{"pattern":1,"_meta":{}}`: "",
		`{}`:                       "",
		`"text"`:                   "",
		`{"patern":1}`:             `there is no argument "patern", did you mean pattern?`,
		`{"x":1}`:                  `there is no argument "x", there are pattern, mode`,
		`{"` + strings.Repeat("k", 9000) + `":1}`: `there is no argument "kkk`,
	} {
		if _, problem := read(t, arguments, only); !strings.HasPrefix(problem, want) || (want == "") != (problem == "") || len(problem) > 300 {
			t.Errorf("%.40s: %q, want %q", arguments, problem, want)
		}
	}
}

// Only the first error is reported, because later ones may be consequences.
func TestFirstProblemIsReported(t *testing.T) {
	_, problem := read(t, `{"a":1,"b":"x"}`, func(r *Reader) any { r.Text("a", ""); r.Int("b", 0, 0, 9); return "" })
	if problem != "a is a number, want a string" {
		t.Errorf("%q", problem)
	}
}
