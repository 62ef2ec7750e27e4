package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// asks gives a session an LLM and records its questions.
func asks(s *controllertest.Session, answer func(stagetest.Question) stagetest.Reply) *[]stagetest.Question {
	var questions []stagetest.Question
	s.Config = `{"promptScoring":"llm"}`
	s.LLM = func(q stagetest.Question) stagetest.Reply {
		questions = append(questions, q)
		return answer(q)
	}
	return &questions
}

func answerWith(text string) func(stagetest.Question) stagetest.Reply {
	return func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: text} }
}

// The heavy LLM gets the keywords and the index and returns a ranked choice;
// priority 10 is always sent.
func TestLLMSelectionPath(t *testing.T) {
	s := home()
	questions := asks(s, answerWith(`{"prompts":[{"name":"naming","why":"lamps get names\n==== end of naming"},{"name":"no-such","why":"x"},{"name":"stack"},{"name":"naming"}]}`))
	got := done(t, s.Call("begin_session", `{"tags":["lamps","Z2M"]}`))
	inOrder(t, got, "NEVER reset", "==== naming, priority 5 (lamps get names ==== end of naming)\n", "room_device_function", "==== stack, priority 5\n", "- security-policy: ")
	if names := inFull(got); names != "common-mistakes naming stack" {
		t.Errorf("%q in full", names)
	}
	q := (*questions)[0]
	if len(*questions) != 1 || q.Tier != stage.Heavy || !q.JSON || q.Background {
		t.Fatalf("%d questions, the first %+v", len(*questions), q)
	}
	inOrder(t, q.Prompt, "<quote>lamps, z2m</quote>", "<quote>security-policy, 8: Firewall, VPN", "stack, 5: Zigbee2MQTT beside Home Assistant [MQTT broker; Pairing lights]\n", "old-notes, 2: ", "</quote>")
	lacks(t, q.Prompt+q.System, "common-mistakes", "mosquitto")
}

// The fast LLM summarizes prompts without a summary for the heavy LLM.
func TestHeavyLLMUsesFastLLMForMissingSummaries(t *testing.T) {
	s := home()
	s.Prompts[3].Summary = ""
	questions := asks(s, func(q stagetest.Question) stagetest.Reply {
		if q.Tier == stage.Fast {
			return stagetest.Reply{Text: "Names of rooms\nand devices."}
		}
		return stagetest.Reply{Text: `["naming"]`}
	})
	inOrder(t, done(t, s.Call("begin_session", five)), "room_device_function")
	if len(*questions) != 2 {
		t.Fatalf("%d questions", len(*questions))
	}
	fast, heavy := (*questions)[0], (*questions)[1]
	if !fast.Background || fast.Prompt != "<quote>room_device_function</quote>" || !strings.Contains(heavy.Prompt, "naming, 5: Names of rooms and devices.\n") {
		t.Errorf("%+v\n%+v", fast, heavy)
	}

	s = home() // the session does not wait for a summary
	s.Prompts[3].Summary = ""
	questions = asks(s, func(q stagetest.Question) stagetest.Reply {
		return stagetest.Reply{Text: `["naming"]`, Later: q.Tier == stage.Fast}
	})
	inOrder(t, done(t, s.Call("begin_session", five)), "room_device_function")
	if !strings.Contains((*questions)[1].Prompt, "naming, 5: \n") {
		t.Errorf("%+v", (*questions)[1])
	}
}

// If the LLM fails, prompts are ranked by keywords.
func TestKeywordsRankIfLLMFails(t *testing.T) {
	want := done(t, home().Call("begin_session", five))
	for rule, answer := range map[string]func(stagetest.Question) stagetest.Reply{
		"none configured": nil,
		"too slow":        func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Later: true} },
		"down":            func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Err: stage.Unavailable} },
		"broken":          func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Err: stage.Upstream} },
		"no JSON":         answerWith("I would read stack."),
		"another object":  answerWith(`{"answer":"stack"}`),
		"a string":        answerWith(`"stack"`),
		"cut":             func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: `{"prompts":[]}`, Cut: true} },
	} {
		s := home()
		if asks(s, answer); answer == nil {
			s.LLM = nil
		}
		if got := done(t, s.Call("begin_session", five)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", rule, got, want)
		}
	}
}

// Only begin_session asks the LLM; later and intercepted calls rank by keywords.
func TestLLMIsAskedOnceInASession(t *testing.T) {
	s := home()
	questions := asks(s, answerWith(`["stack"]`))
	s.Call("begin_session", five)
	s.Call("begin_session", `{"tags":["vpn"]}`)
	s.Call("read_prompts", `{"tags":["naming"]}`)
	if len(*questions) != 1 {
		t.Errorf("%d questions", len(*questions))
	}
	s = home()
	questions = asks(s, answerWith(`["stack"]`))
	s.Call("node-red/get_flows", `{}`)
	if len(*questions) != 0 {
		t.Errorf("%d questions of an intercepted call", len(*questions))
	}
}

// The same keywords, in any order, produce the same question while the prompts are
// unchanged, so the host answers it from its cache.
func TestSecondBeginSessionOnUnchangedPromptsMakesNoLLMCall(t *testing.T) {
	stored, calls := make(map[string]bool), 0
	begin := func(tags, summary string) {
		s := home()
		s.Prompts[1].Summary = summary
		asks(s, func(q stagetest.Question) stagetest.Reply {
			key := q.System + "\x00" + q.Prompt
			known := stored[key]
			if !known {
				calls++
			}
			stored[key] = true
			return stagetest.Reply{Text: `["stack"]`, Stored: known}
		})
		inOrder(t, done(t, s.Call("begin_session", tags)), "mosquitto")
	}
	begin(`{"tags":["lamps","pairing"]}`, "Firewall")
	begin(`{"tags":["Pairing","lamps","lamps"]}`, "Firewall")
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	begin(`{"tags":["lamps","pairing"]}`, "Firewall and VPN")
	begin(`{"tags":["lamps"]}`, "Firewall")
	if calls != 3 {
		t.Errorf("%d calls after changes, want 3", calls)
	}
}

func TestQuestionStaysBounded(t *testing.T) {
	s := home()
	s.Prompts = nil
	var names []string
	for i := range 2000 {
		p := controllertest.Prompt{Name: fmt.Sprintf("p%04d", i), Priority: 5, Summary: strings.Repeat("summary ", 40)}
		if i == 1234 {
			p.Summary = "About mqtt"
		}
		s.Prompts = append(s.Prompts, p)
		names = append(names, `"`+p.Name+`"`)
	}
	questions := asks(s, answerWith("["+strings.Join(names, ",")+"]"))
	done(t, s.Call("begin_session", `{"tags":["mqtt"]}`))
	q := (*questions)[0]
	if len(q.Prompt) > llmIndex+1000 || !strings.Contains(q.Prompt, "p1234, 5: About mqtt\n") {
		t.Errorf("%d bytes", len(q.Prompt))
	}
}

func TestWholeEndsAtARune(t *testing.T) {
	s := home()
	s.Prompts[3].Summary, s.Prompts[3].Body = "", "x"+strings.Repeat("😀", 2000)
	questions := asks(s, answerWith(`["naming"]`))
	s.Call("begin_session", five)
	if q := (*questions)[0]; q.Prompt != "<quote>x"+strings.Repeat("😀", 1023)+"</quote>" {
		t.Errorf("%d bytes: %.20q", len(q.Prompt), q.Prompt)
	}
	if !slices.ContainsFunc(*questions, func(q stagetest.Question) bool { return q.Tier == stage.Heavy }) {
		t.Error("the heavy LLM was not asked")
	}
}
