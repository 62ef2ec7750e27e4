package wasm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

func TestSessionHandleLimit(t *testing.T) {
	s := &script{}
	s.call("state_set", "k", "v")
	s.repeat(abi.LimitHandles, func() { s.callOf(abi.NSCore, "buf_view", binary.TypeI32, 0, 0, 0) })
	first := s.calls
	for _, name := range []string{"tools", "servers", "prompts", "prompt_records"} {
		s.call(name)
	}
	s.call("state_get", "k")
	s.call("prompt_body", "tone", 0)
	s.call("content_open", "k7m2q9x4t6b8w3n5")
	got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolCall, newSession(), "{}"))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for i, code := range got.results[first:] {
		if code != limit {
			t.Errorf("call %d after the limit = %d", i, code)
		}
	}
}

// TestSessionLimits verifies that everything up to a limit works, and that one more is
// refused and changes nothing.
func TestSessionLimits(t *testing.T) {
	values := func(n, size int) map[string][]byte {
		state := make(map[string][]byte)
		for i := range n {
			state[fmt.Sprintf("%04d", i)] = make([]byte, size-4)
		}
		return state
	}
	for _, c := range []struct {
		rule  string
		hook  abi.Hook
		state map[string][]byte // committed before
		build func(s *script) (last, more ref)
		left  func(o abi.HookOutput) int
		want  int
	}{
		{"16 notifications", abi.OnToolCall, nil, func(s *script) (ref, ref) {
			return callMany(s, abi.LimitNotifications, "notify", "notifications/message", "{}")
		}, func(o abi.HookOutput) int { return len(o.Notes) }, 16},
		{"256 KiB of their params", abi.OnToolCall, nil, func(s *script) (ref, ref) {
			return callMany(s, 8, "notify", "notifications/message", `{"d":"`+strings.Repeat("x", 32<<10-8)+`"}`)
		}, func(o abi.HookOutput) int { return len(o.Notes) }, 8},
		{"64 virtual tools", abi.OnToolsList, nil, func(s *script) (last, more ref) {
			for i := range abi.LimitVirtualTools {
				last = s.call("tool_add", fmt.Sprintf(`{"name":"t%d","inputSchema":{}}`, i))
			}
			more = s.call("tool_add", object)
			s.call("tool_add", `{"name":"t0","inputSchema":{}}`) // replaces the first one
			return last, more
		}, func(o abi.HookOutput) int { return len(o.Tools) }, 64},
		{"4 MiB of patches", abi.OnToolsList, nil, func(s *script) (ref, ref) {
			patch := `{"d":"` + strings.Repeat("x", 65_536-13) + `"}` // 64 KiB with the tool's name
			return callMany(s, 64, "tool_patch", "begin", patch)
		}, func(o abi.HookOutput) int { return len(o.Patches) }, 64},
		{"1,000 keys", abi.OnToolCall, values(abi.LimitStateKeys, 8), func(s *script) (last, more ref) {
			s.call("state_del", "0007")
			last = s.call("state_set", "a", "")
			more = s.call("state_set", "b", "")
			s.call("state_set", "a", "again")
			return last, more
		}, func(o abi.HookOutput) int { return len(o.State) }, 2},
		{"1 MiB of state", abi.OnToolCall, values(255, 4096), func(s *script) (last, more ref) {
			last = s.call("state_set", "last", strings.Repeat("x", 4092))
			more = s.call("state_set", "m", "")
			s.call("state_set", "0000", "less")
			s.call("state_set", "m", "")
			return last, more
		}, func(o abi.HookOutput) int { return len(o.State) }, 3},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := &script{}
			last, more := c.build(s)
			session := newSession()
			session.Commit(abi.HookOutput{State: c.state})
			got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(c.hook, session, "{}"))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if got.results[last] != 0 || got.results[more] != limit {
				t.Errorf("last %d, one more %d", got.results[last], got.results[more])
			}
			if n := c.left(got.out); n != c.want {
				t.Errorf("left %d, want %d", n, c.want)
			}
		})
	}
}

// callMany calls an import n times, and once more.
func callMany(s *script, n int, name string, args ...any) (last, more ref) {
	at, size, datas := s.texts, 0, len(s.datas)
	s.repeat(n, func() { last = s.call(name, args...) })
	size, s.texts = s.texts-at, at
	s.datas = s.datas[:datas]
	more = s.call(name, args...)
	s.texts = max(s.texts, at+size)
	return last, more
}

// TestBlockLimits verifies that a block over its limit fails the hook, also with PASS.
func TestBlockLimits(t *testing.T) {
	write := func(n int) *script {
		s := &script{}
		s.call("out_to", 1)
		s.call("out_write", strings.Repeat("x", n))
		return s
	}
	sixteen := func() *script {
		s := &script{}
		for range abi.LimitBlocks {
			s.call("out_to", 2)
			s.call("out_write", "x")
		}
		return s
	}
	tooMuch := write(60_000)
	last := tooMuch.call("out_write", strings.Repeat("x", 6_000))
	tooMany := sixteen()
	lastTo := tooMany.call("out_to", 1)
	binary := &script{}
	binary.call("out_to", 1)
	binary.call("out_write", "ab\xff")
	for _, c := range []struct {
		rule string
		s    *script
		at   ref
		want string
	}{
		{"64 KiB", write(65_536), 1, ""},
		{"16 blocks", sixteen(), 1, ""},
		{"more than 64 KiB", tooMuch, last, "blocks over 65,536 bytes"},
		{"17 blocks", tooMany, lastTo, "17 blocks, limit 16"},
		{"not UTF-8", binary, 1, "block 1 is not UTF-8 at byte 2"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got := newBench(t, nil).runHook(t, c.s.returns(abi.ReturnPass), hookCall(abi.OnToolResult, newSession(), "{}"))
			if text := fmt.Sprint(got.err); text != c.want && (c.want != "" || got.err != nil) {
				t.Errorf("got %v, want %q", got.err, c.want)
			}
			if isLimit := strings.Contains(c.rule, "7") || strings.Contains(c.rule, "more"); (got.results[c.at] == limit) != isLimit || errors.Is(got.err, abi.ErrLimit) != isLimit {
				t.Errorf("result %d, kind of %v", got.results[c.at], got.err)
			}
		})
	}
}
