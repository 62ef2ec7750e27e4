package wasm

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// controller loads a module and returns its role of the same name.
func (b *bench) controller(t testing.TB, name string, file []byte) Controller {
	t.Helper()
	m, err := b.Load(t.Context(), name, file, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	c, err := m.Controller(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hookCall returns a call of a hook in a session.
func hookCall(h abi.Hook, s *hosttest.Session, input string) abi.HookCall {
	return abi.HookCall{Context: abi.HookContext{Hook: h, Project: "home"}, Input: []byte(input), Original: []byte(input), Host: s}
}

// TestHooksDoneAndPass checks the output of each hook with DONE and with PASS.
func TestHooksDoneAndPass(t *testing.T) {
	for _, c := range []struct {
		hook   abi.Hook
		code   int
		done   bool
		answer string
	}{
		{abi.OnInitialize, abi.ReturnDone, true, "text"}, {abi.OnInitialize, abi.ReturnPass, false, ""},
		{abi.OnToolsList, abi.ReturnDone, false, ""}, {abi.OnToolsList, abi.ReturnPass, false, ""},
		{abi.OnToolCall, abi.ReturnDone, true, "text"}, {abi.OnToolCall, abi.ReturnPass, false, ""},
		{abi.OnToolResult, abi.ReturnDone, true, "text"}, {abi.OnToolResult, abi.ReturnPass, false, ""},
		{abi.OnClose, abi.ReturnDone, false, ""}, {abi.OnClose, abi.ReturnPass, false, ""},
	} {
		m := new(hosttest.Module).Hook(c.hook).Call(abi.FuncOutWrite, "text").Call(abi.FuncStateSet, "k", "v").Call(abi.FuncNotify, "notifications/tools/list_changed", "").Returns(c.code)
		out, err := newBench(t, nil).controller(t, "steer", m.File()).Hook(t.Context(), hookCall(c.hook, &hosttest.Session{}, "{}"))
		if err != nil || out.Done != c.done || string(out.Answer) != c.answer || string(out.State["k"]) != "v" || len(out.Notes) != 1 {
			t.Errorf("%s returns %d: %+v, %v", c.hook, c.code, out, err)
		}
	}
}

// TestWants verifies that a role without hooks in its manifest wants all exported hooks.
func TestWants(t *testing.T) {
	all := []abi.Hook{abi.OnInitialize, abi.OnToolsList, abi.OnToolCall, abi.OnToolResult, abi.OnClose}
	manifest := func(role string) string {
		return `{"name":"m","abi":"1.0","roles":[{"name":"steer","kind":"controller"` + role + `}]}`
	}
	for _, c := range []struct {
		rule     string
		manifest string
		want     []abi.Hook
	}{
		{"no manifest", "", []abi.Hook{abi.OnToolCall, abi.OnClose}},
		{"no hooks in the manifest", manifest(""), []abi.Hook{abi.OnToolCall, abi.OnClose}},
		{"empty list", manifest(`,"hooks":[]`), []abi.Hook{abi.OnToolCall, abi.OnClose}},
		{"one hook", manifest(`,"hooks":["on_close"],"gatedOnly":true`), []abi.Hook{abi.OnClose}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			file := new(hosttest.Module).Hook(abi.OnToolCall).Trap().Hook(abi.OnClose).Trap().Manifest(c.manifest).File()
			steer := newBench(t, nil).controller(t, "steer", file)
			for _, h := range all {
				wants := slices.Contains(c.want, h)
				if steer.Wants(h) != wants {
					t.Errorf("wants %s: %v", h, !wants)
				}
				_, err := steer.Hook(t.Context(), hookCall(h, &hosttest.Session{}, "{}"))
				if ran := err != nil; ran != wants {
					t.Errorf("%s ran: %v, want %v", h, ran, wants)
				}
			}
		})
	}
}
