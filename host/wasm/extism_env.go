package wasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// extismOwn is where a module finds our functions instead of some of the SDK's: see
// redirected. No module can import from it by itself.
const extismOwn = "mcpctl:extism"

// envFuncs stand in for those functions of Extism's SDK that look into texts of the
// guest. The SDK's own call its kernel without the context of the call, and the kernel
// keeps its lists where guests can write: one that makes a ring of them would have its
// host look for a text for ever. They copy texts of any length too, decode requests that
// are refused then, and log by a setting of the whole process.
var envFuncs = map[string]userFunc{
	"config_get": envConfig,
	"var_get":    envVar, "var_set": envSetVar,
	"http_request": envRequest, "http_status_code": envNothing, "http_headers": envNothing,
	"get_log_level": func(*run, *extism.CurrentPlugin, args) (uint64, error) { return envLogLevel, nil },
	"log_trace":     envFree,
	"log_debug":     envLog(abi.LogDebug),
	"log_info":      envLog(abi.LogInfo),
	"log_warn":      envLog(abi.LogWarn),
	"log_error":     envLog(abi.LogError),
}

// envLogLevel is debug as Extism's guests count: they log nothing below it.
const envLogLevel = 1

// redirectEnv returns the module as it is compiled for Extism's SDK: its imports of
// envFuncs come from this package.
func redirectEnv(f *module.File) []byte {
	return f.RedirectImports(module.ExtismEnvNamespace, extismOwn, func(name string) bool { _, ok := envFuncs[name]; return ok })
}

// plugged is what a plugin has of its call beside the kernel's memory.
type plugged struct {
	config   map[string]string // of the role; nil until it is asked for
	vars     map[string][]byte
	varBytes int
}

// readText gives a text of the guest. It lies in the kernel's memory: whoever keeps
// it, or writes a text, copies it first.
func (r *run) readText(p *extism.CurrentPlugin, at uint64) ([]byte, error) {
	n, err := p.LengthWithContext(r, at)
	if err != nil || n == 0 {
		return nil, err
	}
	if text, ok := p.Memory().Read(uint32(at), uint32(n)); ok {
		return text, nil
	}
	return nil, errors.New("a text that ends outside memory")
}

// writeText makes a text for the guest.
func (r *run) writeText(p *extism.CurrentPlugin, text []byte) (uint64, error) {
	at, err := p.AllocWithContext(r, uint64(len(text)))
	if err != nil || len(text) == 0 {
		return at, err
	}
	if at == 0 || !p.Memory().Write(uint32(at), text) {
		return 0, errors.New("no memory left for a text")
	}
	return at, nil
}

func envConfig(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	key, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	if r.plugged.config == nil {
		r.plugged.config = extismConfig(&r.call)
	}
	value, ok := r.plugged.config[string(key)]
	if !ok {
		return 0, nil
	}
	return r.writeText(p, []byte(value))
}

func envVar(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	name, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	value, ok := r.plugged.vars[string(name)]
	if err := p.FreeWithContext(r, a[0]); err != nil || !ok {
		return 0, err
	}
	return r.writeText(p, value)
}

// extismVarBytes bounds the variables of one call, with what keeping each takes.
const (
	extismVarBytes = 1 << 20
	bytesOfAVar    = 64
)

// envSetVar keeps a variable, or forgets it: that is said by the offset 0.
func envSetVar(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	name, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	value, err := r.readText(p, a[1])
	if err != nil {
		return 0, err
	}
	if err := r.plugged.set(string(name[:min(len(name), extismVarBytes)]), value, a[1] != 0); err != nil {
		return 0, err
	}
	if err := p.FreeWithContext(r, a[0]); err != nil {
		return 0, err
	}
	return 0, p.FreeWithContext(r, a[1])
}

// set keeps a copy of value, or forgets the variable.
func (w *plugged) set(name string, value []byte, keep bool) error {
	size := w.varBytes
	if old, had := w.vars[name]; had {
		size -= len(name) + len(old) + bytesOfAVar
	}
	if keep {
		size += len(name) + len(value) + bytesOfAVar
	}
	if size > extismVarBytes {
		return fmt.Errorf("variables of %s bytes, limit %s", fault.Group(size), fault.Group(extismVarBytes))
	}
	w.varBytes = size
	if !keep {
		delete(w.vars, name)
		return nil
	}
	if w.vars == nil {
		w.vars = make(map[string][]byte)
	}
	w.vars[name] = bytes.Clone(value)
	return nil
}

// envLog logs a text, and frees it as Extism's does.
func envLog(level int) userFunc {
	return func(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
		text, err := r.readText(p, a[0])
		if err != nil {
			return 0, err
		}
		r.log.add(level, text)
		return 0, p.FreeWithContext(r, a[0])
	}
}

func envFree(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	return 0, p.FreeWithContext(r, a[0])
}

// maxRequest bounds the request of which an error tells where it wanted to go.
const maxRequest = 8 << 10

// envRequest ends the guest, and says what it was up to.
func envRequest(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	text, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	var request struct{ URL string }
	if len(text) > maxRequest || json.Unmarshal(text, &request) != nil || request.URL == "" {
		return 0, errors.New("no requests are allowed")
	}
	return 0, fmt.Errorf("a request to %s: none are allowed", fault.Printable([]byte(request.URL), reasonBytes))
}

// envNothing is the answer to a request that was never made.
func envNothing(*run, *extism.CurrentPlugin, args) (uint64, error) { return api.EncodeI32(0), nil }
