package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// steeredHome returns a home whose project has the given controllers, as YAML.
func steeredHome(controllers string, more ...string) files {
	f := files{
		"servers/up.yaml":    stdioServer("up", ""),
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], proxyModel: m" + strings.Join(more, "") + "}\n",
		"proxymodels/m.yaml": "kind: ProxyModel\nmetadata: {name: m}\nspec:\n  controller: " + controllers + "\n  stages: []\n",
	}
	return f
}

// Addresses in the modules of these tests: the buffer for values, and the first
// handle of a call.
const (
	place       = 60_000
	nameBytes   = 16
	firstHandle = 16
)

// keeper returns a controller that stores the name of the session as its state when
// the session starts. Its tool whoami returns the version of the controller and the
// name.
func keeper(version int) []byte {
	return new(hosttest.Module).
		Hook(abi.OnInitialize).Call(abi.FuncBufRead, abi.BufSession, 0, place, nameBytes).Call(abi.FuncStateSet, "name", place, nameBytes).
		Call(abi.FuncOutWrite, "ask whoami").
		Hook(abi.OnToolsList).Call(abi.FuncToolAdd, `{"name":"whoami","inputSchema":{"type":"object"}}`).Returns(abi.ReturnPass).
		Hook(abi.OnToolCall).Call(abi.FuncStateGet, "name").Call(abi.FuncOutWrite, fmt.Sprintf("%d ", version)).Call(abi.FuncOutSpan, firstHandle, 0, -1).
		File()
}

// If the module of a controller is replaced during 100 sessions, no session loses
// its state and no call fails.
func TestControllerSwapUnderLoad(t *testing.T) {
	sessions, swaps := 100, 8
	if testing.Short() {
		sessions, swaps = 20, 3
	}
	f := steeredHome("keeper")
	f["stages/keeper.wasm"] = string(keeper(0))
	r := newRig(t, f)
	stop := make(chan struct{})
	var load sync.WaitGroup
	var calls, newest atomic.Int64
	for range sessions {
		c := r.dial(t)
		load.Go(func() {
			name := ""
			for {
				select {
				case <-stop:
					return
				default:
				}
				before := newest.Load()
				a, err := c.tryTool("whoami", `{}`)
				version, answered := int64(-1), ""
				_, scan := fmt.Sscanf(a.text(), "%d %s", &version, &answered)
				if name == "" {
					name = answered
				}
				calls.Add(1)
				if err != nil || scan != nil || a.IsError || answered != name || len(name) != nameBytes || version < before {
					t.Errorf("%v %v: %.200q, want %q of version %d or later", err, scan, a.text(), name, before)
					return
				}
				runtime.Gosched()
			}
		})
	}
	for v := 1; v <= swaps && !t.Failed(); v++ {
		r.put(t, "stages/keeper.wasm", keeper(v))
		r.reload(t)
		newest.Store(int64(v))
		seen := calls.Load()
		eventually(func() bool { return t.Failed() || calls.Load() >= seen+int64(sessions) }, true)
	}
	close(stop)
	load.Wait()
	t.Logf("%d sessions, %d swaps, %d calls", sessions, swaps, calls.Load())
}

// The tools and effects of a controller in stages/ reach the client.
func TestControllerOfHome(t *testing.T) {
	skipShort(t)
	f := steeredHome("keeper")
	f["stages/keeper.wasm"] = string(keeper(1))
	r := newRig(t, f)
	c := r.dial(t)
	if got := c.tools(t); !strings.HasPrefix(got, "whoami up__") {
		t.Errorf("tools %s", got)
	}
	if a := c.tool(t, "whoami", `{}`); !strings.HasPrefix(a.text(), "1 ") || len(a.text()) != 2+nameBytes {
		t.Errorf("whoami answers %q", a.text())
	}
	r.put(t, "proxymodels/m.yaml", []byte(strings.Replace(f["proxymodels/m.yaml"], "keeper", "none", 1)))
	r.reload(t)
	if a := c.tool(t, "whoami", `{}`); a.text() == "" || !a.IsError && a.rpc == "" {
		t.Errorf("without the controller whoami answers %q", a.text())
	}
	if got := c.tools(t); strings.Contains(got, "whoami") {
		t.Errorf("without the controller the tools are %s", got)
	}
	r.put(t, "proxymodels/m.yaml", []byte(f["proxymodels/m.yaml"]))
	r.reload(t)
	if a := c.tool(t, "whoami", `{}`); !strings.HasPrefix(a.text(), "1 ") || len(a.text()) != 2+nameBytes {
		t.Errorf("after the controller returned whoami answers %q: its state is lost", a.text())
	}
}

// A gatedOnly controller runs in gated projects only, including projects that are gated by
// default.
func TestGatedOnlyController(t *testing.T) {
	skipShort(t)
	module := new(hosttest.Module).Hook(abi.OnToolsList).Call(abi.FuncToolHide, "up/echo").Returns(abi.ReturnPass).
		Manifest(`{"name":"door","abi":"1.0","roles":[{"name":"door","kind":"controller","capabilities":["session"],"hooks":["on_tools_list"],"gatedOnly":true}]}`).File()
	for spec, hidden := range map[string]bool{"": true, ", gated: false": false} {
		f := steeredHome("door", spec)
		f["stages/door.wasm"] = string(module)
		r := newRig(t, f)
		if got := r.dial(t).tools(t); strings.Contains(got, "up__echo") == hidden {
			t.Errorf("%q: tools %s", spec, got)
		}
	}
}

// A trap of a controller does not fail the client's call. It is reported, and a new
// version that keeps trapping is replaced by the previous one.
func TestFailingControllerIsRolledBack(t *testing.T) {
	f := steeredHome("keeper")
	f["stages/keeper.wasm"] = string(keeper(1))
	r := newRig(t, f)
	c := r.dial(t)
	c.tools(t)
	// Without on_tools_list: its success, when the client lists the tools again, would end the row of failures.
	r.put(t, "stages/keeper.wasm", new(hosttest.Module).Hook(abi.OnToolCall).Trap().File())
	r.reload(t)
	routed := func() {
		if a := c.tool(t, "up__echo", `{"text":"as it came"}`); a.text() != "as it came" {
			t.Errorf("a call is answered with %q", a.text())
		}
	}
	routed()
	routed()
	if now := r.failures.Current(); len(now) != 1 || now[0].Role != "keeper" || now[0].Count != 2 || !strings.HasPrefix(now[0].Err().Error(), `controller "keeper" failed 2 times in a row`) ||
		!strings.Contains(now[0].Cause, "on_tool_call trapped") {
		t.Errorf("not reported: %+v", now)
	}
	routed()
	if s := r.status(t, "keeper"); !strings.Contains(s, "new version failed 3 times") {
		t.Errorf("STATUS %q", s)
	}
	if a := c.tool(t, "whoami", `{}`); !strings.HasPrefix(a.text(), "1 ") || len(a.text()) != 2+nameBytes {
		t.Errorf("the previous version answers %q", a.text())
	}
}

// With onFailure block, a failing controller withholds the result.
func TestFailingControllerBlocks(t *testing.T) {
	f := steeredHome("[{type: guard, onFailure: block}]")
	f["stages/guard.wasm"] = string(new(hosttest.Module).Hook(abi.OnToolCall).Trap().File())
	a := newRig(t, f).dial(t).tool(t, "up__echo", `{"text":"secret"}`)
	if !a.IsError || a.text() != `controller "guard" failed, so the call was not made` {
		t.Errorf("got %q, isError %v", a.text(), a.IsError)
	}
}

// A controller reads the stored contents of its session.
func TestControllerReadsStoredContents(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	text := strings.Repeat("# Chapter\n\nA line of it.\n\n", 400) + "end"
	shown := r.show(t, toolResult([]byte(text), "a.md"))
	c := controllers{r.Host}
	if got, err := c.Content(scope, shown.Ref); err != nil || string(got) != text {
		t.Errorf("content: %d bytes, %v", len(got), err)
	}
	raw, err := c.ContentMeta(scope, shown.Ref)
	if err != nil {
		t.Fatal(err)
	}
	var meta contentMeta
	if err := json.Unmarshal(raw, &meta); err != nil {
		t.Fatal(err)
	}
	if meta.Sections < 400 || meta.Tokens < 1000 || time.Since(time.UnixMilli(meta.CreatedMs)) > time.Minute {
		t.Errorf("meta %s", raw)
	}
	meta.Sections, meta.Tokens, meta.CreatedMs = 0, 0, 0
	if want := (contentMeta{Ref: shown.Ref, Source: "up/get", ContentType: abi.ToolResult, Bytes: len(text), Lines: 1601}); meta != want {
		t.Errorf("meta %+v, want %+v", meta, want)
	}
	if got, err := c.Section(t.Context(), scope, shown.Ref, "no-such-section"); err != nil || len(got) == 0 {
		t.Errorf("unknown section: %q, %v", got, err)
	}
	other := flow.Scope{Project: "other"}
	_, contentErr := c.Content(other, shown.Ref)
	_, metaErr := c.ContentMeta(other, shown.Ref)
	_, sectionErr := c.Section(t.Context(), other, shown.Ref, "")
	for _, err := range []error{contentErr, metaErr, sectionErr} {
		if !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("of another project: %v", err)
		}
	}
}

// A listening client is notified when a controller is added or removed.
func TestListChangedWithChain(t *testing.T) {
	f := steeredHome("keeper")
	f["stages/keeper.wasm"] = string(keeper(1))
	r := newRig(t, f)
	c := r.dial(t)
	heard := c.listen(t)
	with := c.tools(t)
	for _, step := range []string{"none", "keeper"} {
		r.put(t, "proxymodels/m.yaml", []byte(strings.Replace(f["proxymodels/m.yaml"], "keeper", step, 1)))
		r.reload(t)
		select {
		case method := <-heard:
			if method != "notifications/tools/list_changed" {
				t.Errorf("controller %s: received %s", step, method)
			}
		case <-time.After(time.Minute):
			t.Errorf("controller %s: received nothing", step)
		}
		if got := c.tools(t); (got == with) != (step == "keeper") {
			t.Errorf("controller %s: tools %s", step, got)
		}
	}
}

// on_close runs in the background when the client ends the session and when the
// host closes.
func TestOnCloseRuns(t *testing.T) {
	f := steeredHome("keeper")
	f["stages/keeper.wasm"] = string(new(hosttest.Module).Hook(abi.OnToolsList).Returns(abi.ReturnPass).Hook(abi.OnClose).Trap().File())
	r := newRig(t, f)
	ended := func() int { // the hook fails, and failures are counted
		for _, failure := range r.failures.Current() {
			return failure.Count
		}
		return 0
	}
	first, second := r.dial(t), r.dial(t)
	first.tools(t)
	second.tools(t)
	req, err := first.request(http.MethodDelete, "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := eventually(ended, 1); got != 1 {
		t.Errorf("after DELETE on_close ran %d times", got)
	}
	r.stop()
	if got := ended(); got != 2 {
		t.Errorf("after the host was closed on_close had run %d times in all", got)
	}
}
