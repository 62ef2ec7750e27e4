package stagetest_test

import (
	"strconv"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

var registered int

// run runs f as a stage.
func run(t *testing.T, c stagetest.Call, f stage.Func) stagetest.Result {
	t.Helper()
	registered++
	role := "role-" + strconv.Itoa(registered)
	stage.Register(role, f)
	return stagetest.Run(role, c)
}

// pass runs f and passes; f reports by t.
func pass(t *testing.T, c stagetest.Call, f func(c *stage.Ctx)) stagetest.Result {
	t.Helper()
	got := run(t, c, func(c *stage.Ctx) error {
		f(c)
		return stage.Pass
	})
	if got.Outcome != stagetest.Pass {
		t.Fatalf("outcome %s: %s, want pass", got.Outcome, got.Reason)
	}
	return got
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
