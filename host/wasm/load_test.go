package wasm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestRefusedFiles checks the error texts that follow `module "head": `.
func TestRefusedFiles(t *testing.T) {
	plain := func() *script { return &script{noResult: true} }
	good := plain().wasm()
	imports := func(ns, name string, args ...any) []byte {
		s := plain()
		s.callOf(ns, name, binary.TypeI32, args...)
		return s.wasm()
	}
	manifest := func(m string) []byte { s := plain(); s.manifest = m; return s.wasm() }
	role := func(r string) []byte { return manifest(`{"name":"m","abi":"1.0","roles":[` + r + `]}`) }
	controller := func(r string) []byte {
		s := plain()
		s.hooks = []string{abi.ExportOnClose}
		s.manifest = `{"name":"m","abi":"1.0","roles":[{"name":"a","kind":"controller",` + r + `}]}`
		return s.wasm()
	}
	withSession := func(m string) []byte {
		s := plain()
		s.manifest = m
		s.call("tools")
		return s.wasm()
	}
	zipped := func() []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(good)
		w.Close()
		return b.Bytes()
	}()
	trapping := plain()
	trapping.init = []byte{unreachable}
	starting := plain()
	starting.start = []byte{unreachable}
	next := plain()
	next.noMarker, next.exports = true, []string{"mcpctl_abi_v2"}
	before := plain()
	before.noMarker, before.exports = true, []string{"mcpctl_abi_v0"}
	both := plain()
	both.hooks = []string{abi.ExportOnClose}
	newHook := plain()
	newHook.exports = []string{"mcpctl_on_dream"}
	wrongHook := plain()
	wrongHook.exports = []string{abi.ExportOnClose}
	unmarked := plain()
	unmarked.noMarker = true
	twice := append(slices.Clone(good), customSection(abi.ManifestSection, []byte(`{}`))...)
	twice = append(twice, customSection(abi.ManifestSection, []byte(`{}`))...)
	large := plain()
	large.pages = 0x7f

	tests := []struct {
		rule string
		file []byte
		want string
	}{
		{"empty", nil, "is empty"},
		{"text", []byte("hello, world\n"), "is a text file, want a WebAssembly module"},
		{"wat", []byte("(module)"), "is WebAssembly text, want the binary (wat2wasm makes it)"},
		{"gzip", zipped, "is compressed with gzip, want the module itself"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "is a component, want a core module (wasip1, wasm32-unknown-unknown)"},
		{"version 2", []byte("\x00asm\x02\x00\x00\x00"), "is version 2 of the binary format, want 1"},
		{"ELF", []byte("\x7fELF\x02\x01\x01\x00"), "is not a WebAssembly module"},
		{"cut in the header", good[:6], "ends inside the header"},
		{"cut in a section", good[:len(good)-6], "ends inside the code section"},
		{"cut between sections", good[:bytes.Index(good, []byte("\x07"))], ""},
		{"no marker", unmarked.wasm(), "exports no mcpctl_abi_v1 and is no extism or WASI command module"},
		{"newer major", next.wasm(), "built for ABI 2, this host supports 1, update mcpctl"},
		{"older major", before.wasm(), "built for ABI 0, this host supports 1, rebuild it"},
		{"unknown function", imports(abi.NSCore, "buf_zip", 0), "imports mcpctl:core/v1.buf_zip, not part of ABI 1.2, update mcpctl"},
		{"unknown namespace of the ABI", imports("mcpctl:core/v2", "buf_len", 0), "imports mcpctl:core/v2.buf_len, not part of ABI 1.2, update mcpctl"},
		{"unknown function of WASI", imports(module.WASINamespace, "fd_dance", 0), "imports wasi_snapshot_preview1.fd_dance, not part of ABI 1.2, update mcpctl"},
		{"foreign import", imports("wasi:http/types", "fields", 0), "imports wasi:http/types, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort"},
		{"foreign function of env", imports("env", "emscripten_sleep", 0), "imports env.emscripten_sleep, allowed are mcpctl:*/v1, wasi_snapshot_preview1, env.abort"},
		{"wrong signature of an import", imports(abi.NSCore, "buf_len", 0, int64(1)), "import mcpctl:core/v1.buf_len is (i32, i64) -> i32, want (i32) -> i32"},
		{"wrong signature of an export", wrongHook.wasm(), "export mcpctl_on_close is () -> (), want () -> i32"},
		{"newer hook", newHook.wasm(), "exports mcpctl_on_dream, not part of ABI 1.2, update mcpctl"},
		{"stage and hooks without a manifest", both.wasm(), "exports mcpctl_stage and hooks of a controller: add a manifest that lists its roles"},
		{"initialize traps", trapping.wasm(), "_initialize trapped: unreachable"},
		{"data segment out of bounds", plain().data(40<<20, "x").wasm(), "start trapped: data[0]: out of bounds memory access"},
		{"start traps", starting.wasm(), "start trapped: unreachable"},
		{"session without a controller", withSession(""), "imports mcpctl:session/v1, which is for controllers"},
		{"session without the capability", withSession(`{"name":"m","abi":"1.0","roles":[{"name":"m","kind":"stage"}]}`), "imports mcpctl:session/v1, manifest does not list session"},
		{"llm without the capability", func() []byte {
			s := plain()
			s.manifest = `{"name":"m","abi":"1.0","roles":[{"name":"m","kind":"stage"}]}`
			s.call("available", 0)
			return s.wasm()
		}(), "imports mcpctl:llm/v1, manifest does not list llm"},
		{"cache and llm without the capabilities", func() []byte {
			s := &script{}
			s.manifest = `{"name":"m","abi":"1.0","roles":[{"name":"m","kind":"stage"}]}`
			s.call("available", 0)
			return s.wasm()
		}(), "imports mcpctl:core/v1.cache_get or cache_set and mcpctl:llm/v1, manifest does not list cache, llm"},
		{"cache without the capability", func() []byte {
			s := &script{}
			s.manifest = `{"name":"m","abi":"1.0","roles":[{"name":"m","kind":"stage"}]}`
			return s.wasm()
		}(), "imports mcpctl:core/v1.cache_get or cache_set, manifest does not list cache"},
		{"two manifests", twice, "custom section: mcpctl.manifest appears twice"},
		{"manifest is not JSON", manifest(`{"name":`), `manifest: invalid JSON at byte 8: want a value, got the end of the text`},
		{"manifest with an unknown field", manifest(`{"nam":"m"}`), `manifest: unknown field "nam", did you mean "name"?`},
		{"manifest in other letters", manifest(`{"Name":"m","abi":"1.0","roles":[]}`), `manifest: unknown field "Name", did you mean "name"?`},
		{"manifest with a key twice", manifest(`{"name":"a","name":"b"}`), `manifest: invalid JSON at byte 12: duplicate key "name"`},
		{"manifest without roles", manifest(`{"name":"m","abi":"1.0","roles":[]}`), "manifest: lists no roles"},
		{"manifest with too many roles", manifest(`{"name":"m","abi":"1.0","roles":[` + strings.Repeat(`{"name":"a","kind":"stage"},`, 64) + `{"name":"b","kind":"stage"}]}`),
			"manifest: lists 65 roles, limit 64"},
		{"manifest too large", manifest(`{"summary":"` + strings.Repeat("x", 64<<10) + `"}`), "manifest: is 65,550 bytes, limit 65,536"},
		{"manifest of an older major", manifest(`{"name":"m","abi":"0.9","roles":[{"name":"m","kind":"stage"}]}`), "manifest: needs ABI 0.9, this host supports 1.2, rebuild it"},
		{"manifest of a newer minor", manifest(`{"name":"m","abi":"1.7","roles":[{"name":"m","kind":"stage"}]}`), "manifest: needs ABI 1.7, this host supports 1.2, update mcpctl"},
		{"manifest with a wrong type", manifest(`{"name":"m","abi":1,"roles":[]}`), "manifest: abi is a number, want string"},
		{"unknown kind", role(`{"name":"a","kind":"stage"},{"name":"b","kind":"stag"}`), `manifest: roles[1].kind "stag" unknown, did you mean "stage"?`},
		{"kind without a similar word", role(`{"name":"a","kind":"zebra"}`), `manifest: roles[0].kind "zebra" unknown, want stage, filter, controller`},
		{"role twice", role(`{"name":"a","kind":"stage"},{"name":"a","kind":"filter"}`), `manifest: roles[1].name "a" is that of roles[0] too`},
		{"bad role name", role(`{"name":"A b","kind":"stage"}`), `manifest: roles[0].name "A b": want [a-z0-9]([a-z0-9._+-]{0,62})`},
		{"unknown field of a role", role(`{"name":"a","kind":"stage","transform":false}`), `manifest: roles[0]: unknown field "transform", did you mean "transforms"?`},
		{"unknown capability", role(`{"name":"a","kind":"stage","capabilities":["net"]}`), `manifest: roles[0].capabilities[0] "net" unknown, want cache, llm, session, arguments`},
		{"arguments for a filter", role(`{"name":"a","kind":"filter","capabilities":["arguments"]}`), `manifest: roles[0]: capability arguments is for stages`},
		{"session for a stage", role(`{"name":"a","kind":"stage","capabilities":["session"]}`), `manifest: roles[0]: capability session is for controllers`},
		{"unknown config type", role(`{"name":"a","kind":"stage","config":[{"name":"x","type":"integer"}]}`), `manifest: roles[0].config[0].type "integer" unknown, want string, int, number, bool, enum, strings, json`},
		{"unknown hook", controller(`"hooks":["on_close","on_tool_cal"]`), `manifest: roles[0].hooks[1] "on_tool_cal" unknown, did you mean "on_tool_call"?`},
		{"hook by its export's name", controller(`"hooks":["mcpctl_stage"]`), `manifest: roles[0].hooks[0] "mcpctl_stage" unknown, want on_initialize, on_tools_list, on_tool_call, on_tool_result, on_close`},
		{"hook twice", controller(`"hooks":["on_close","on_close"]`), `manifest: roles[0].hooks[1] "on_close" appears twice`},
		{"hook that is not exported", controller(`"hooks":["on_close","on_tool_call"]`), `manifest: roles[0].hooks[1] "on_tool_call": the module exports no mcpctl_on_tool_call`},
		{"hooks of a stage", role(`{"name":"a","kind":"stage","hooks":["on_close"]}`), "manifest: roles[0].hooks is for controllers, the kind is stage"},
		{"gatedOnly of a filter", role(`{"name":"a","kind":"filter","gatedOnly":true}`), "manifest: roles[0].gatedOnly is for controllers, the kind is filter"},
		{"controller without a hook", role(`{"name":"a","kind":"controller"}`), `manifest: roles[0] "a" is a controller, but the module is a stage: it exports mcpctl_stage and no hook`},
	}
	b := newBench(t, nil)
	for _, c := range tests {
		t.Run(c.rule, func(t *testing.T) {
			m, err := b.Load(context.Background(), "head", c.file, false)
			if err == nil {
				m.Close()
				t.Fatal("was loaded")
			}
			text, found := strings.CutPrefix(err.Error(), `module "head": `)
			if !found || c.want != "" && text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			if !errors.Is(err, abi.ErrGuest) && !errors.Is(err, abi.ErrLimit) {
				t.Errorf("kind of %v", err)
			}
		})
	}
	if _, err := newBench(t, func(o *Options) { o.Limits.Memory = 2 << 20 }).Load(t.Context(), "head", large.wasm(), false); err == nil ||
		err.Error() != `module "head": needs 8 MiB of memory at least, limit 2 MiB (limits.memory)` {
		t.Errorf("large minimum: %v", err)
	}
	if _, err := module.Inspect("head", make([]byte, abi.LimitModuleBytes+1)); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("large file: %v", err)
	}
}

// TestIncompleteFile verifies that no prefix of a module is loaded.
func TestIncompleteFile(t *testing.T) {
	s := (&script{}).data(0, "some data")
	s.call("buf_len", 0)
	file := s.wasm()
	b := newBench(t, nil)
	whole, err := b.Load(t.Context(), "script", file, false)
	if err != nil {
		t.Fatal(err)
	}
	whole.Close()
	complete := 0
	for n := range len(file) {
		m, err := b.Load(t.Context(), "script", file[:n], false)
		if err == nil {
			complete++ // cut at the end of the code section: only the data is missing
			m.Close()
		}
	}
	if complete > 1 {
		t.Errorf("%d prefixes load", complete)
	}
}

func TestLoopInStartIsStopped(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Time = 50 * time.Millisecond })
	loop := []byte{loopVoid, voidBlock, br, 0, end}
	for name, s := range map[string]*script{"_initialize": {noResult: true, init: loop}, "start": {noResult: true, start: loop}} {
		_, err := b.Load(t.Context(), "head", s.wasm(), false)
		if err == nil || !strings.HasPrefix(err.Error(), `module "head": `+name+" trapped after ") {
			t.Errorf("got %v", err)
		}
	}
}

func TestInspect(t *testing.T) {
	s := &script{manifest: `{"name":"m","version":"1.2.0","abi":"1.0","roles":[{"name":"a","kind":"stage","llm":"optional","capabilities":["cache","llm"],
		"config":[{"name":"n","type":"int","default":3,"min":1}]}]}`}
	s.call("available", 0)
	file := append(s.wasm(), customSection("producers", []byte("\x01\x08language\x01\x04Rust\x0c\x0cprocessed-by rustc"))...)
	info, err := module.Inspect("m", file)
	if err != nil {
		t.Fatal(err)
	}
	if !info.LLM || !info.HasManifest || info.Language != "rust" || info.Size != len(file) || info.MemoryBytes != 3*binary.PageBytes || len(info.Hash) != 64 {
		t.Errorf("%+v", info)
	}
	if !slices.Equal(info.Imports, []string{"mcpctl:llm/v1.available", "mcpctl:core/v1.cache_set"}) || !slices.Contains(info.Exports, "memory (memory)") {
		t.Errorf("imports %v, exports %v", info.Imports, info.Exports)
	}
	if r := info.Manifest.Roles[0]; r.Name != "a" || string(r.Config[0].Default) != "3" || !r.Transforming() {
		t.Errorf("role %+v", r)
	}
	info, err = module.Inspect("head", (&script{}).wasm())
	if err != nil || info.HasManifest || len(info.Manifest.Roles) != 1 || info.Manifest.Roles[0].Name != "head" {
		t.Errorf("default manifest: %+v, %v", info.Manifest, err)
	}
}

// TestInspectSettingBounds verifies the same checks as for plugin.yaml.
func TestInspectSettingBounds(t *testing.T) {
	for field, want := range map[string]string{
		`"type":"int","min":5,"max":2`:                    "min 5 is above max 2",
		`"type":"int","default":9,"max":2`:                "default 9 is outside min and max",
		`"type":"number","default":0.5,"min":1`:           "default 0.5 is outside min and max",
		`"type":"int","default":2,"min":2,"max":2`:        "",
		`"type":"string","default":"9","min":10,"max":20`: "",
	} {
		s := &script{manifest: `{"name":"m","abi":"1.0","roles":[{"name":"a","kind":"stage","capabilities":["cache"],"config":[{"name":"n",` + field + `}]}]}`}
		_, err := module.Inspect("m", s.wasm())
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != `module "m": manifest: roles[0].config[0].`+want) {
			t.Errorf("%s: %v, want %q", field, err, want)
		}
	}
}

// TestRoleKinds loads a module with a stage and a controller.
func TestRoleKinds(t *testing.T) {
	b := newBench(t, nil)
	s := &script{manifest: sessionManifest, hooks: []string{abi.ExportOnClose}}
	m, err := b.Load(t.Context(), "script", s.wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, c := range []struct {
		get  func() error
		want string
		kind error
	}{
		{func() error { _, err := m.Guest("script"); return err }, "", nil},
		{func() error { _, err := m.Controller("steer"); return err }, "", nil},
		{func() error { _, err := m.Guest("steer"); return err }, `module "script": role "steer" is a controller, want a stage or filter`, abi.ErrConfig},
		{func() error { _, err := m.Controller("script"); return err }, `module "script": role "script" is a stage, want a controller`, abi.ErrConfig},
		{func() error { _, err := m.Guest("other"); return err }, `module "script": role "other": not found`, abi.ErrNotFound},
		{func() error { _, err := m.Controller("other"); return err }, `module "script": role "other": not found`, abi.ErrNotFound},
	} {
		if err := c.get(); !errors.Is(err, c.kind) || c.want != "" && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestCodeCache verifies that compiled code is kept, and compiled again if the file is
// damaged.
func TestCodeCache(t *testing.T) {
	dir := t.TempDir()
	file := (&script{}).wasm()
	load := func() {
		t.Helper()
		b := newBench(t, func(o *Options) { o.CacheDir = dir })
		m, err := b.Load(t.Context(), "script", file, false)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
		b.Close(t.Context())
	}
	load()
	files, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if len(files) != 1 {
		t.Fatalf("%d files kept", len(files))
	}
	code, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, code[:len(code)/2], append([]byte("x"), code[1:]...), append(slices.Clone(code[:len(code)-30]), make([]byte, 30)...)} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		load()
	}
	if now, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(now, code) {
		t.Errorf("not compiled again: %v", err)
	}
}

func TestPruneCodeCache(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "wazero-v1-amd64-linux")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i, name := range []string{"new", "old", "oldest"} {
		path := filepath.Join(sub, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, start, start.Add(-time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (out []string) {
		files, _ := os.ReadDir(sub)
		for _, f := range files {
			out = append(out, f.Name())
		}
		return out
	}
	if err := pruneCodeCache(dir, 300, 100); err != nil || len(names()) != 3 {
		t.Errorf("within the limit: %v, %v", names(), err)
	}
	if err := pruneCodeCache(dir, 299, 150); err != nil || !slices.Equal(names(), []string{"new"}) {
		t.Errorf("over the limit: %v, %v", names(), err)
	}
}

// TestCompileTimeout verifies that loading ends after the limit, although the compilation
// cannot be stopped.
func TestCompileTimeout(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Compile = time.Nanosecond })
	_, err := b.Load(t.Context(), "head", (&script{}).wasm(), false)
	if err == nil || err.Error() != `module "head": not compiled in 1ns (limits.compile)` || !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// A module that waits too long for the compiler fails with an error that lets the registry
// try it again.
func TestCompilerStaysBusy(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Compile = 20 * time.Millisecond })
	occupyCompiler(b)
	_, err := b.Load(t.Context(), "head", (&script{}).wasm(), false)
	if err == nil || err.Error() != "module \"head\": the compiler was busy with other modules for 20ms, try again with `mcpctl reload`" || !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// While the compiler is busy with other modules a module waits: their time is not its own.
func TestCompileWaitsForOthers(t *testing.T) {
	const limit = 10 * time.Second
	b := newBench(t, func(o *Options) { o.Limits.Compile = limit })
	occupyCompiler(b)
	loaded := make(chan error, 1)
	go func() {
		m, err := b.Load(t.Context(), "head", (&script{}).wasm(), false)
		if err == nil {
			err = m.Close()
		}
		loaded <- err
	}()
	select {
	case err := <-loaded:
		t.Fatalf("loaded beside the others: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	b.compileSlots.release() // one has ended
	if err := <-loaded; err != nil {
		t.Errorf("got %v", err)
	}
}

// A panic while a file is read or scanned, from which the caller recovers, does not keep a
// slot: other files are still loaded.
func TestPanicInLoadFreesItsSlot(t *testing.T) {
	b := newBench(t, nil)
	for range 2 * localScans {
		func() {
			defer func() { _ = recover() }()
			_, _ = b.LoadFile(t.Context(), Source{Name: "bad", Hash: "hash", Read: func() ([]byte, error) { panic("bug") }})
		}()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := b.Load(ctx, "head", (&script{}).wasm(), false); err != nil {
		t.Error(err)
	}
}
