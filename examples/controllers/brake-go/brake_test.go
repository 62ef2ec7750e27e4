package main

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestEqualCallsAreRefused(t *testing.T) {
	tests := []struct {
		name    string
		config  string
		calls   string // a call each: tool, arguments, result
		refused string // a letter each: y or n
	}{
		{"the fourth equal call is refused", `{"calls":3}`, "a1= a1= a1= a1= a1=", "nnnyy"},
		{"as often as the config says", `{"calls":1}`, "a1= a1=", "ny"},
		{"three times without a config", ``, "a1= a1= a1= a1=", "nnny"},
		{"other arguments reset the count", `{"calls":2}`, "a1= a1= a2= a1= a1= a1=", "nnnnny"},
		{"another tool resets the count", `{"calls":2}`, "a1= a1= b1= b1= b1=", "nnnny"},
		{"another result resets the count", `{"calls":2}`, "a1= a1+ a1= a1= a1=", "nnnny"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &controllertest.Session{Role: "brake", Config: tt.config, Tools: []controllertest.Tool{{Name: "files/a"}, {Name: "files/b"}}}
			got := ""
			for _, call := range strings.Fields(tt.calls) {
				e := s.Call("files/"+call[:1], `{"path":"`+call[1:2]+`"}`)
				if e.Outcome == stagetest.Done {
					got += "y"
					continue
				}
				got += "n"
				s.Result(`{"content":[{"type":"text","text":"` + call[2:] + `"}]}`)
			}
			if got != tt.refused {
				t.Errorf("refused %s, want %s", got, tt.refused)
			}
		})
	}
}

func TestAnswerNamesTheTool(t *testing.T) {
	s := &controllertest.Session{Role: "brake", Config: `{"calls":1}`, Tools: []controllertest.Tool{{Name: "files/a"}}}
	s.Call("files/a", "")
	s.Result(`{"content":[]}`)
	e := s.Call("files/a", "")
	if e.Kind != controller.IsError || !strings.Contains(e.Answer, "files__a") {
		t.Errorf("answer %q of kind %d, want an error that names the tool", e.Answer, e.Kind)
	}
}

func TestNewSessionResetsTheCount(t *testing.T) {
	s := &controllertest.Session{Role: "brake", Config: `{"calls":1}`, Tools: []controllertest.Tool{{Name: "files/a"}}}
	s.Call("files/a", "")
	s.Result(`{"content":[]}`)
	s.Close("")
	if e := s.Call("files/a", ""); e.Outcome != stagetest.Pass {
		t.Errorf("%s, want pass", e.Outcome)
	}
}
