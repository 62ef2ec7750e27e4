package controllertest_test

import (
	"strconv"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

var registered int

// register registers h as a new role and sets the role of s.
func register(s *controllertest.Session, h controller.Hooks) *controllertest.Session {
	registered++
	s.Role = "role-" + strconv.Itoa(registered)
	controller.Register(s.Role, h)
	return s
}

// in runs f in a hook that passes; f reports by t.
func in(t *testing.T, hook string, s *controllertest.Session, f func(c *controller.Ctx)) controllertest.Effects {
	t.Helper()
	pass := func(c *controller.Ctx) error { f(c); return controller.Pass }
	var h controller.Hooks
	switch hook {
	case controller.OnInitialize:
		h.Initialize = pass
	case controller.OnToolsList:
		h.ToolsList = pass
	case controller.OnToolCall:
		h.ToolCall = pass
	case controller.OnToolResult:
		h.ToolResult = pass
	case controller.OnClose:
		h.Close = pass
	}
	e := run(hook, register(s, h))
	if e.Outcome != stagetest.Pass {
		t.Fatalf("%s: %s %s, want pass", hook, e.Outcome, e.Reason)
	}
	return e
}

// run runs a hook over the first tool.
func run(hook string, s *controllertest.Session) controllertest.Effects {
	if len(s.Tools) == 0 {
		s.Tools = []controllertest.Tool{{Name: "files/read"}}
	}
	switch hook {
	case controller.OnInitialize:
		return s.Initialize("")
	case controller.OnToolsList:
		return s.ToolsList()
	case controller.OnToolCall:
		return s.Call(s.Tools[0].Name, "")
	case controller.OnToolResult:
		if e := s.Call(s.Tools[0].Name, ""); e.Outcome == stagetest.Fail {
			return e
		}
		return s.Result(`{"content":[{"type":"text","text":"hello"}]}`)
	}
	return s.Close("")
}

var hooks = []string{controller.OnInitialize, controller.OnToolsList, controller.OnToolCall, controller.OnToolResult, controller.OnClose}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
