package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// replacedNamespace is where a module finds the functions of envFuncs. No module can
// import from it by itself.
const replacedNamespace = "mcpctl:extism"

// pluginFunc is a function for modules built for Extism. Its result is an offset or a
// number.
type pluginFunc func(p *pluginCall, a imports.Args) (uint64, error)

// envFuncs replace those functions of Extism's SDK that read texts of the guest. The
// SDK's own functions call its kernel without the context of the call, and the kernel
// keeps its lists in memory that guests can write: a guest that makes a cycle of them
// would keep the host in an endless loop. They also copy texts of any length, decode
// requests that are refused afterwards, and log according to a setting of the process.
var envFuncs = map[string]pluginFunc{
	"config_get": envConfig,
	"var_get":    envVar, "var_set": envSetVar,
	"http_request": envRequest, "http_status_code": envNoResponse, "http_headers": envNoResponse,
	"get_log_level": func(*pluginCall, imports.Args) (uint64, error) { return envLogLevel, nil },
	"log_trace":     envFree,
	"log_debug":     envLog(abi.LogDebug),
	"log_info":      envLog(abi.LogInfo),
	"log_warn":      envLog(abi.LogWarn),
	"log_error":     envLog(abi.LogError),
}

// userFuncs are the functions of this host for modules built for Extism.
var userFuncs = map[string]pluginFunc{
	module.ExtismLog: userLog, module.ExtismCacheGet: userCacheGet, module.ExtismCacheSet: userCacheSet,
	module.ExtismComplete: userComplete, module.ExtismSectionAdd: userSectionAdd,
}

// envLogLevel is debug in Extism's numbering: guests log nothing below it.
const envLogLevel = 1

// pluginFuncs are the functions that a plugin may import beside Extism's own.
var pluginFuncs = func() []extism.HostFunction {
	var all []extism.HostFunction
	add := func(f *imports.Func, call extism.HostFunctionStackCallback) {
		h := extism.NewHostFunctionWithStack(f.Name, call, slices.Clone(f.Signature.Params), slices.Clone(f.Signature.Results))
		h.SetNamespace(f.Namespace)
		all = append(all, h)
	}
	for _, f := range imports.SystemFunctions() {
		add(f, func(ctx context.Context, _ *extism.CurrentPlugin, stack []uint64) {
			f.Invoke(pluginOf(ctx).call, stack)
		})
	}
	for name, call := range userFuncs {
		f := &imports.Func{Namespace: module.ExtismUserNamespace, Name: name, Signature: module.ExtismUser[name], Early: name == module.ExtismLog}
		add(f, call.callback(f))
	}
	yield := extism.NewHostFunctionWithStack(fuel.Yield, func(ctx context.Context, _ *extism.CurrentPlugin, stack []uint64) {
		callOf(ctx).Yield(stack)
	}, yieldSignature.Params, yieldSignature.Results)
	yield.SetNamespace(fuel.Namespace)
	all = append(all, yield)
	for name, call := range envFuncs {
		f := &imports.Func{Namespace: replacedNamespace, Name: name, Signature: module.ExtismEnv[name], Early: true}
		add(f, call.callback(f))
	}
	return all
}()

// callback returns call as the SDK calls it. An error of call, which is a text that does
// not exist, ends the guest.
func (call pluginFunc) callback(f *imports.Func) extism.HostFunctionStackCallback {
	return func(ctx context.Context, sdk *extism.CurrentPlugin, stack []uint64) {
		p := pluginOf(ctx)
		p.call.Begin(f, stack)
		result := api.EncodeI32(int32(abi.CodeUnsupported))
		if p.call.IsStarted() || f.Early {
			var err error
			if result, err = call(&pluginCall{p, ctx, sdk}, imports.Args(stack[:len(f.Signature.Params)])); err != nil {
				panic(&imports.Trap{Text: fmt.Sprintf("guest trapped: %s: %v", f.Name, err)})
			}
		}
		if len(f.Signature.Results) > 0 {
			stack[0] = result
		}
	}
}

func envConfig(p *pluginCall, a imports.Args) (uint64, error) {
	key, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	value, ok := p.configValue(string(key))
	if !ok {
		return 0, nil
	}
	return p.write([]byte(value))
}

func envVar(p *pluginCall, a imports.Args) (uint64, error) {
	name, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	value, ok := p.vars[string(name)]
	if err := p.free(a[0]); err != nil || !ok {
		return 0, err
	}
	return p.write(value)
}

// envSetVar sets a variable; the offset 0 deletes it.
func envSetVar(p *pluginCall, a imports.Args) (uint64, error) {
	name, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	value, err := p.read(a[1])
	if err != nil {
		return 0, err
	}
	if err := p.setVar(string(name[:min(len(name), maxVarBytes)]), value, a[1] != 0); err != nil {
		return 0, err
	}
	if err := p.free(a[0]); err != nil {
		return 0, err
	}
	return 0, p.free(a[1])
}

// envLog logs a text and frees it, as Extism does.
func envLog(level int) pluginFunc {
	return func(p *pluginCall, a imports.Args) (uint64, error) {
		text, err := p.read(a[0])
		if err != nil {
			return 0, err
		}
		p.call.Log(level, text)
		return 0, p.free(a[0])
	}
}

func envFree(p *pluginCall, a imports.Args) (uint64, error) { return 0, p.free(a[0]) }

// maxRequestBytes limits the request whose URL is decoded for the error.
const maxRequestBytes = 8 << 10

// envRequest ends the guest with an error that contains the URL.
func envRequest(p *pluginCall, a imports.Args) (uint64, error) {
	text, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	var request struct{ URL string }
	if len(text) > maxRequestBytes || json.Unmarshal(text, &request) != nil || request.URL == "" {
		return 0, errors.New("no requests are allowed")
	}
	return 0, fmt.Errorf("a request to %s: none are allowed", fault.Printable([]byte(request.URL), imports.MaxReasonBytes))
}

// envNoResponse is the response to a request that was never sent.
func envNoResponse(*pluginCall, imports.Args) (uint64, error) { return 0, nil }

func userLog(p *pluginCall, a imports.Args) (uint64, error) {
	text, err := p.read(a[1])
	if err == nil {
		p.call.Log(int(a.I32(0)), text)
	}
	return 0, err
}

func userCacheGet(p *pluginCall, a imports.Args) (uint64, error) {
	key, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	value, code := p.call.Get(key)
	if code < 0 {
		return 0, nil
	}
	return p.write(value)
}

func userCacheSet(p *pluginCall, a imports.Args) (uint64, error) {
	key, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	value, err := p.read(a[1])
	return api.EncodeI32(p.call.Set(key, value)), err
}

// userSection is the argument of section_add: a span of the original in bytes.
type userSection struct {
	Parent             *int
	Start, End         int
	Title, ID, Summary string
}

func userSectionAdd(p *pluginCall, a imports.Args) (uint64, error) {
	text, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	var s userSection
	if err := decodeStrict(text, &s); err != nil {
		return api.EncodeI32(p.call.Refuse(abi.CodeBadArg, "%v", err)), nil
	}
	parent := -1
	if s.Parent != nil {
		parent = *s.Parent
	}
	return api.EncodeI32(p.call.AddSection(module.ExtismSectionAdd, imports.NewSection{
		Parent: parent, Start: s.Start, End: s.End, Title: s.Title, ID: s.ID, Summary: s.Summary,
	})), nil
}

// userRequest is the argument of llm_complete.
type userRequest struct {
	Tier           string // fast, which is the default, or heavy
	System, Prompt string
	MaxTokens      int // default 500
	Background     bool
	JSON           bool
}

// userReply is the result of llm_complete. Status is ok, pending if there is no answer
// yet, unavailable if there is no LLM, or error.
type userReply struct {
	Status string `json:"status"`
	Text   string `json:"text,omitempty"`
	Cut    bool   `json:"cut,omitempty"` // by maxTokens
	Error  string `json:"error,omitempty"`
}

const defaultMaxTokens = 500

func userComplete(p *pluginCall, a imports.Args) (uint64, error) {
	text, err := p.read(a[0])
	if err != nil {
		return 0, err
	}
	var q userRequest
	reply := userReply{Status: "error"}
	if err := decodeStrict(text, &q); err != nil {
		reply.Error = err.Error()
	} else {
		reply = newReply(p.call.Complete(q.prompt()))
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return 0, err
	}
	return p.write(b)
}

// prompt converts a request. Invalid values are refused like those of other guests.
func (q *userRequest) prompt() imports.Prompt {
	p := imports.Prompt{Tier: abi.TierFast, MaxTokens: defaultMaxTokens, System: q.System, Text: q.Prompt}
	switch q.Tier {
	case "", "fast":
	case "heavy":
		p.Tier = abi.TierHeavy
	default:
		p.Tier = -1
	}
	if q.MaxTokens != 0 {
		p.MaxTokens = int32(min(max(q.MaxTokens, -1), abi.LimitLLMTokens+1))
	}
	if q.Background {
		p.Flags |= abi.LLMBackground
	}
	if q.JSON {
		p.Flags |= abi.LLMJSON
	}
	return p
}

func newReply(c imports.Completion) userReply {
	switch c.Code {
	case 0:
		return userReply{Status: "ok", Text: c.Text, Cut: c.Cut}
	case abi.CodeTimeout:
		return userReply{Status: "pending", Error: c.Refusal}
	case abi.CodeUnavailable, abi.CodeDenied:
		return userReply{Status: "unavailable", Error: c.Refusal}
	}
	return userReply{Status: "error", Error: c.Refusal}
}
