package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// echoHost implements Contents and Prompts and answers with its arguments.
type echoHost struct{}

func (echoHost) Content(s flow.Scope, ref string) ([]byte, error) {
	return []byte(s.Project + " " + ref), nil
}
func (echoHost) ContentMeta(s flow.Scope, ref string) ([]byte, error) {
	return []byte(s.Project + " meta " + ref), nil
}
func (echoHost) Section(_ context.Context, s flow.Scope, ref, section string) ([]byte, error) {
	return []byte(s.Project + " " + ref + " " + section), nil
}
func (echoHost) Prompts(s flow.Scope) []byte       { return []byte(`["` + s.Project + `"]`) }
func (echoHost) PromptRecords(s flow.Scope) []byte { return []byte("records of " + s.Project) }
func (echoHost) KnownPromptBody(_ flow.Scope, name string) ([]byte, bool) {
	return []byte("known " + name), name == "kept"
}

func (echoHost) PromptBody(_ context.Context, s flow.Scope, name string, stored bool) ([]byte, error) {
	return fmt.Appendf(nil, "%s %s %v", s.Project, name, stored), nil
}
func (echoHost) ProposePrompt(_ context.Context, s flow.Scope, p []byte) (string, error) {
	return s.Project + " " + string(p), nil
}

// A host function uses the scope of the session. Without Contents and Prompts it
// finds nothing.
func TestHostFunctionsUseSessionScope(t *testing.T) {
	calls := []struct {
		name string
		call func(ctx context.Context, h abi.HookHost) ([]byte, error)
		want string
		none error
	}{
		{"content", func(_ context.Context, h abi.HookHost) ([]byte, error) { return h.Content("r") }, "home r", abi.ErrNotFound},
		{"meta", func(_ context.Context, h abi.HookHost) ([]byte, error) { return h.ContentMeta("r") }, "home meta r", abi.ErrNotFound},
		{"section", func(ctx context.Context, h abi.HookHost) ([]byte, error) { return h.Section(ctx, "r", "s") }, "home r s", abi.ErrNotFound},
		{"prompts", func(_ context.Context, h abi.HookHost) ([]byte, error) { return h.Prompts(), nil }, `["home"]`, nil},
		{"prompt records", func(_ context.Context, h abi.HookHost) ([]byte, error) { return h.PromptRecords(), nil }, "records of home", nil},
		{"body", func(ctx context.Context, h abi.HookHost) ([]byte, error) { return h.PromptBody(ctx, "p", true) }, "home p true", abi.ErrNotFound},
		{"proposal", func(ctx context.Context, h abi.HookHost) ([]byte, error) {
			id, err := h.ProposePrompt(ctx, []byte("{}"))
			return []byte(id), err
		}, "home {}", abi.ErrUnavailable},
	}
	for _, a := range calls {
		t.Run(a.name, func(t *testing.T) {
			var got []byte
			var err error
			r := newRig(t, oneHook("a", abi.OnToolCall, func(ctx context.Context, c abi.HookCall) (abi.HookOutput, error) {
				got, err = a.call(ctx, c.Host)
				return abi.HookOutput{}, nil
			}))
			r.Call(t.Context(), aCall(r.listed[0]))
			if !errors.Is(err, a.none) {
				t.Errorf("without a provider: %q, %v; want %v", got, err, a.none)
			}
			r.opts.Contents, r.opts.Prompts = echoHost{}, echoHost{}
			r.Call(t.Context(), aCall(r.listed[0]))
			if err != nil || string(got) != a.want {
				t.Errorf("got %q, %v; want %q", got, err, a.want)
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	r := newRig(b, oneHook("a", abi.OnToolCall, returning(abi.HookOutput{})), oneHook("b", abi.OnToolCall, returning(abi.HookOutput{})))
	call := aCall(r.listed[0])
	b.ReportAllocs()
	for b.Loop() {
		r.Call(b.Context(), call)
	}
}

// BenchmarkHideAll hides all of 10,000 tools by label.
func BenchmarkHideAll(b *testing.B) {
	var tools []flow.ListedTool
	out := abi.HookOutput{}
	for i := range 10_000 {
		t := upstream(fmt.Sprintf("files/tool%d", i))
		tools, out.Hidden = append(tools, t), append(out.Hidden, t.Label)
	}
	r := newRig(b, oneHook("a", abi.OnToolsList, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
		c.Host.Tools()
		for _, name := range out.Hidden {
			c.Host.Tool(name)
		}
		return out, nil
	}))
	for b.Loop() {
		r.ListTools(b.Context(), "list", tools)
	}
}
