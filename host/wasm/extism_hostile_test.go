package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestExtismKernelCycle verifies that the clock ends a guest that makes a cycle in the
// kernel's list of texts, whichever function then searches the list.
func TestExtismKernelCycle(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Time = 100 * time.Millisecond })
	g := b.localGuest(t, "ring", foreign(t, "extism-ring"))
	for letter, function := range map[string]string{
		"c": "config_get", "g": "var_get", "v": "var_set", "l": "log_info", "h": "http_request", "m": "mcpctl_log",
		"k": "mcpctl_cache_get", "s": "mcpctl_cache_set", "q": "mcpctl_llm_complete", "a": "mcpctl_section_add",
	} {
		_, err := g.Run(t.Context(), content(letter))
		if !errors.Is(err, abi.ErrLimit) || !matches(err.Error(), "guest trapped after … (limit 100ms, set limits.time)") {
			t.Errorf("%s: %v", function, err)
		}
	}
}

// TestExtismPrintsNothing verifies that no guest can make Extism's SDK print to the
// standard streams of the process.
func TestExtismPrintsNothing(t *testing.T) {
	output := captureOutput(t, func() {
		b := newBench(t, nil)
		if _, err := b.localGuest(t, "root", foreign(t, "extism-root")).Run(t.Context(), content("text")); err == nil || err.Error() != "guest has written over Extism's own memory" || !errors.Is(err, abi.ErrGuest) {
			t.Errorf("root: %v", err)
		}
		if out, err := b.localGuest(t, "haskell", foreign(t, "extism-haskell")).Run(t.Context(), content("text")); err != nil || string(out.Bytes) != "1" || len(out.Log) != 0 {
			t.Errorf("haskell: %+v, %v", out, err)
		}
		out, err := b.localGuest(t, "levels", foreign(t, "extism-levels")).Run(t.Context(), content("text"))
		want := `[{debug \u001b[31m\n} {info \u001b[31m\n} {warn \u001b[31m\n} {error \u001b[31m\n}]`
		if got := fmt.Sprint(out.Log); err != nil || got != want || string(out.Bytes) != "1" {
			t.Errorf("levels: %s, %q, %v\nwant    %s", got, out.Bytes, err, want)
		}
	})
	if output != "" {
		t.Errorf("the process's streams got %q", output)
	}
}

// captureOutput returns the output of the process while do runs: to its standard streams
// and to the default logger.
func captureOutput(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, logged := make(chan []byte), &bytes.Buffer{}
	go func() {
		b, _ := io.ReadAll(r)
		out <- b
	}()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	log.SetOutput(logged)
	func() {
		defer func() {
			os.Stdout, os.Stderr = stdout, stderr
			log.SetOutput(stderr)
			w.Close()
		}()
		do()
	}()
	return string(<-out) + logged.String()
}

// TestExtismJSONLimit verifies that the size is checked before decoding, which takes ten
// times as much memory.
func TestExtismJSONLimit(t *testing.T) {
	var s userSection
	text := append(bytes.Repeat([]byte{' '}, maxJSONBytes-2), "{} "...)
	if err := decodeStrict(text[:maxJSONBytes], &s); err != nil {
		t.Error(err)
	}
	if err := decodeStrict(text, &s); err == nil || err.Error() != "2,097,153 bytes of JSON, limit 2,097,152" {
		t.Errorf("got %v", err)
	}
}

// TestExtismModulesDoNotLeak loads many modules that are closed, and many that do not
// compile.
func TestExtismModulesDoNotLeak(t *testing.T) {
	toI64, toI32 := binary.Signature{Results: []byte{binary.TypeI64}}, binary.Signature{Results: []byte{binary.TypeI32}}
	build := func(n int, constant byte) []byte {
		data := bytes.Repeat([]byte{byte(n), byte(n >> 8)}, 16<<10)
		return slices.Concat(header,
			sectionOf(binary.SectionType, vector(encodeType(toI64), encodeType(toI32))),
			sectionOf(binary.SectionImport, vector(slices.Concat(binary.AppendName(binary.AppendName(nil, module.ExtismEnvNamespace), "input_length"), []byte{binary.KindFunction, 0}))),
			sectionOf(binary.SectionFunction, []byte{1, 1}), sectionOf(binary.SectionMemory, []byte{1, 0, 1}),
			sectionOf(binary.SectionExport, vector(append(binary.AppendName(nil, abi.ExportMemory), binary.KindMemory, 0), append(binary.AppendName(nil, "run"), binary.KindFunction, 1))),
			sectionOf(binary.SectionCode, vector(bytesOf([]byte{0, constant, 0, end}))),
			sectionOf(binary.SectionData, vector(slices.Concat([]byte{0, 0x41, 0, end}, bytesOf(data)))))
	}
	b := newBench(t, nil)
	for name, c := range map[string]struct {
		constant byte
		want     string
	}{
		"closed":         {0x41, ""},
		"do not compile": {0x42, "does not compile: invalid function[0]"}, // i64.const instead of i32.const
	} {
		load := func(from, to int) {
			for n := from; n < to; n++ {
				m, err := b.Load(t.Context(), "head", build(n, c.constant), false)
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%s: %v", name, err)
				}
				if m != nil {
					m.Close()
				}
			}
		}
		load(0, 50)
		_, before := settle()
		load(50, 450)
		if _, after := settle(); after > before+4<<20 { // the engine may keep 1.2 MB of each of its last compilations
			t.Errorf("400 modules that %s: %d KiB before, %d after", name, before>>10, after>>10)
		}
	}
}

// TestExtismModuleLoadedTwice verifies that closing one of two equal modules does not affect
// the other.
func TestExtismModuleLoadedTwice(t *testing.T) {
	b := newBench(t, nil)
	first, err := b.Load(t.Context(), "upper", foreign(t, "extism-upper"), false)
	if err != nil {
		t.Fatal(err)
	}
	second := b.localGuest(t, "upper", foreign(t, "extism-upper"))
	first.Close()
	third := b.localGuest(t, "upper", foreign(t, "extism-upper"))
	for _, g := range []Guest{second, third} {
		if out, err := g.Run(t.Context(), content("text")); err != nil || string(out.Bytes) != "TEXT" {
			t.Errorf("%q, %v", out.Bytes, err)
		}
	}
}
