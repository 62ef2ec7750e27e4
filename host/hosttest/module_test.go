package hosttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// TestModule runs assembled modules: texts with LEB128 numbers of every length, all return
// codes, a trap, a manifest.
func TestModule(t *testing.T) {
	long := strings.Repeat("x", 70_000) // more than a page
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty text", Write(""), ""},
		{"63 bytes", Write(long[:63]), long[:63]},
		{"64 bytes", Write(long[:64]), long[:64]},
		{"more than a page", Write(long), long},
		{"two calls", new(Module).Call(abi.FuncOutWrite, "a").Call(abi.FuncOutSpan, 0, 0, 2).File(), "ain"},
		{"pass", new(Module).Returns(abi.ReturnPass).File(), "(pass)"},
		{"fail", new(Module).Call(abi.FuncFail, "because").Returns(abi.ReturnFail).File(), "because"},
		{"unknown code", new(Module).Returns(-70).File(), "returned -70"},
		{"trap", new(Module).Trap().File(), "unreachable"},
		{"filter", new(Module).Call(abi.FuncOutWrite, "f").Manifest(`{"name":"m","abi":"1.0","roles":[{"name":"stage","kind":"filter"}]}`).File(), "f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := runModule(t, c.file, "input"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %.100q, want %.100q", got, c.want)
			}
		})
	}
}

// TestModuleWithHooks runs a controller with several hooks.
func TestModuleWithHooks(t *testing.T) {
	file := new(Module).Hook(abi.OnInitialize).Call(abi.FuncOutWrite, "hello").Call(abi.FuncStateSet, "k", "v").
		Hook(abi.OnToolCall).Call(abi.FuncOutTo, 1).Call(abi.FuncOutWrite, "beside").Returns(abi.ReturnPass).
		Hook(abi.OnToolResult).Trap().Hook(abi.OnClose).Spin().File()
	r, err := wasm.Open(context.Background(), wasm.Options{Limits: wasm.Limits{Time: 50 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(context.Background())
	m, err := r.Load(t.Context(), "steer", file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c, err := m.Controller("steer")
	if err != nil {
		t.Fatal(err)
	}
	session := &Session{}
	for _, h := range []struct {
		hook abi.Hook
		want string
	}{
		{abi.OnInitialize, "true hello [] map[k:v]"}, {abi.OnToolsList, "false  [] map[]"}, {abi.OnToolCall, "false  [beside] map[]"},
		{abi.OnToolResult, "trapped: unreachable"}, {abi.OnClose, "trapped after"},
	} {
		out, err := c.Hook(t.Context(), abi.HookCall{Context: abi.HookContext{Hook: h.hook}, Host: session})
		got := fmt.Sprintf("%v %s %s %s", out.Done, out.Answer, out.Before, out.State)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, h.want) {
			t.Errorf("%s: got %s, want %s", h.hook, got, h.want)
		}
		session.Commit(out)
	}
	if v, ok := session.State("k"); !ok || string(v) != "v" {
		t.Errorf("committed %q", v)
	}
}

func runModule(t *testing.T, file []byte, input string) string {
	t.Helper()
	r, err := wasm.Open(context.Background(), wasm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(context.Background()) })
	m, err := r.Load(t.Context(), "stage", file, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	g, err := m.Guest("stage")
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.Run(t.Context(), abi.Call{Role: "stage", Input: []byte(input), Original: []byte(input)})
	switch {
	case err != nil:
		return err.Error()
	case out.Pass:
		return "(pass)"
	}
	return string(out.Bytes)
}
