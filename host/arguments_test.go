package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// argumentModules returns modules for stages/: "asking" and "plain" write buffer 8, of which
// only the first has the capability; the filters rewrite, break and fail.
func argumentModules() map[string][]byte {
	echo := func(name, capabilities string) []byte {
		return new(hosttest.Module).Call(abi.FuncOutWrite, "asked "+name+":").Call(abi.FuncOutSpan, abi.BufArguments, 0, -1).
			Manifest(`{"name":"` + name + `","abi":"1.2","roles":[{"name":"` + name + `","kind":"stage","capabilities":[` + capabilities + `]}]}`).File()
	}
	filter := func(name string, m *hosttest.Module) []byte {
		return m.Manifest(`{"name":"` + name + `","abi":"1.0","roles":[{"name":"` + name + `","kind":"filter"}]}`).File()
	}
	return map[string][]byte{
		"asking":  echo("asking", `"arguments"`),
		"plain":   echo("plain", ""),
		"rewrite": filter("rewrite", new(hosttest.Module).Call(abi.FuncOutWrite, `{"q":"[redacted]"}`)),
		"prose":   filter("prose", new(hosttest.Module).Call(abi.FuncOutWrite, `no JSON`)),
		"large":   filter("large", new(hosttest.Module).Call(abi.FuncOutWrite, `{"q":"`+strings.Repeat("x", abi.LimitArgumentsBytes)+`"}`)),
		"broken":  filter("broken", new(hosttest.Module).Returns(abi.ReturnFail)),
	}
}

func TestStageReadsArguments(t *testing.T) {
	home := files{"servers/up.yaml": strings.Replace(stdioServer("up", ""), `: "1"}`, `: "1", KEY_OF_UP: hunter2hunter2}`, 1), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: asking")}
	for name, module := range argumentModules() {
		home["stages/"+name+".wasm"] = string(module)
	}
	r := newRig(t, home)
	for _, tc := range []struct {
		rule      string
		stages    []string
		arguments string
		want      string
	}{
		{"as they are", []string{"type: asking"}, `{"q":"boat", "n":1}`, `asked asking:{"q":"boat", "n":1}`},
		{"none", []string{"type: asking"}, ``, `asked asking:`},
		{"without the capability", []string{"type: plain"}, `{"q":"boat"}`, `asked plain:`},
		{"credential by its name", []string{"type: asking"}, `{"token":"abc","q":"boat"}`, `asked asking:{"token":"***","q":"boat"}`},
		{"secret of a server", []string{"type: asking"}, `{"q":"is hunter2hunter2 in it?"}`, `asked asking:{"q":"is *** in it?"}`},
		{"secret as the name of a member", []string{"type: asking"}, `{"hunter2hunter2":1}`, `asked asking:{"***":1}`},
		{"16 KiB", []string{"type: asking"}, `{"q":"` + strings.Repeat("x", abi.LimitArgumentsBytes-8) + `"}`, `asked asking:{"q":"` + strings.Repeat("x", abi.LimitArgumentsBytes-8) + `"}`},
		{"more than 16 KiB", []string{"type: asking"}, `{"q":"` + strings.Repeat("x", abi.LimitArgumentsBytes-7) + `"}`, `asked asking:`},
		{"no object", []string{"type: asking"}, `["q"]`, `asked asking:`},
		{"no JSON", []string{"type: asking"}, `{"q"`, `asked asking:`},
		{"filter", []string{"type: rewrite", "type: asking"}, `{"q":"boat"}`, `asked asking:{"q":"[redacted]"}`},
		{"filter that returns no JSON", []string{"type: prose", "type: asking"}, `{"q":"boat"}`, `asked asking:`},
		{"filter that returns too much", []string{"type: large", "type: asking"}, `{"q":"boat"}`, `asked asking:`},
		{"filter that fails", []string{"{type: broken, onFailure: pass}", "type: asking"}, `{"q":"boat"}`, `asked asking:`},
	} {
		r.put(t, "proxymodels/m.yaml", []byte(model("m", tc.stages...)))
		r.reload(t)
		c := toolResult([]byte("the content of "+tc.rule), "")
		c.Arguments = []byte(tc.arguments)
		got, _, _ := strings.Cut(string(r.show(t, c).Text), "\nread_section")
		if got != tc.want {
			t.Errorf("%s: %.300q, want %.300q", tc.rule, got, tc.want)
		}
	}
}

// A result is cached for one question if the stage reads it, and for all if it does not.
func TestArgumentsAndCache(t *testing.T) {
	home := files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: plain", "type: asking")}
	for name, module := range argumentModules() {
		home["stages/"+name+".wasm"] = string(module)
	}
	r := newRig(t, home)
	for _, tc := range []struct{ arguments, want string }{
		{`{"q":1}`, "plain done, asking done"},
		{`{"q":1}`, "plain cached, asking cached"},
		{`{"q":2}`, "plain cached, asking done"},
		{``, "plain cached, asking done"},
		{`{"q":2}`, "plain cached, asking cached"},
	} {
		c := toolResult([]byte("a content"), "")
		c.Arguments = []byte(tc.arguments)
		var got []string
		for _, s := range r.show(t, c).Run.Stages {
			got = append(got, s.Role+" "+s.Outcome)
		}
		if text := strings.Join(got, ", "); text != tc.want {
			t.Errorf("%s: %s, want %s", tc.arguments, text, tc.want)
		}
	}
}
