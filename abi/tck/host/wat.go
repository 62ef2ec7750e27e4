package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// The memory of a guest begins with the archive's memory; texts are at textsAt.
const (
	textsAt   = 128 << 10
	pageBytes = 64 << 10
)

// Wat returns the guest as WebAssembly text, without its manifest. title is its first comment.
func (c Check) Wat(title string) string {
	w := watWriter{}
	for i, call := range c.Initialize {
		w.addCall(i, call, true)
	}
	initialize := w.code.String()
	w.code.Reset()
	for i, call := range c.Calls {
		w.addCall(i, call, false)
	}
	var b strings.Builder
	fmt.Fprintf(&b, ";; %s\n;; Made from the archive beside it. Its manifest, a custom section:\n;; %s\n(module\n", title, c.Manifest())
	for _, i := range w.imports(abi.FuncFail) {
		fmt.Fprintf(&b, "  (import %q %q (func $%s%s (result i32)))\n", i.Namespace, i.Name, i.Name, params(len(i.Params)))
	}
	fmt.Fprintf(&b, "  (memory (export \"memory\") %d)\n", max(3, (textsAt+len(w.texts)+pageBytes-1)/pageBytes))
	if c.Memory != "" {
		fmt.Fprintf(&b, "  (data (i32.const 0) %s)\n", watText(c.Memory))
	}
	fmt.Fprintf(&b, "  (data (i32.const %d) %s)\n", textsAt, watText(w.texts))
	b.WriteString("  (func (export \"mcpctl_abi_v1\"))\n")
	if initialize != "" {
		fmt.Fprintf(&b, "  (func (export %q)\n%s  )\n", abi.ExportInitialize, initialize)
	}
	entry := abi.ExportStage
	if c.Role == "controller" {
		entry = "mcpctl_" + c.Hook
	} else if c.Role != "filter" {
		fmt.Fprintf(&b, "  (func (export %q) (result i32)\n    i32.const 1)\n", abi.ExportOnClose)
	}
	fmt.Fprintf(&b, "  (func (export %q) (result i32) (local $left i32)\n%s    i32.const 1)) ;; PASS\n", entry, w.code.String())
	return b.String()
}

// watWriter collects the code of calls and their texts.
type watWriter struct {
	code  strings.Builder
	texts string
	used  []abi.Import
}

// addCall adds a call. If the result is not the expected one, the guest fails or traps.
func (w *watWriter) addCall(i int, c Call, trap bool) {
	w.used = append(w.used, c.Import)
	fmt.Fprintf(&w.code, "    ;; %s\n", c.Line)
	if c.Times > 1 {
		fmt.Fprintf(&w.code, "    i32.const %d\n    local.set $left\n    loop\n", c.Times)
	}
	for _, a := range c.Args {
		if a.IsText {
			w.pushText(a.Text)
			continue
		}
		fmt.Fprintf(&w.code, "    i32.const %d\n", a.Number)
	}
	fmt.Fprintf(&w.code, "    call $%s\n", c.Import.Name)
	if c.Times > 1 {
		w.code.WriteString("    drop\n    local.get $left\n    i32.const 1\n    i32.sub\n    local.tee $left\n    br_if 0\n    end\n")
		return
	}
	fmt.Fprintf(&w.code, "    i32.const %d\n    i32.ne\n    if\n", c.Want)
	if trap {
		w.code.WriteString("    unreachable\n    end\n")
		return
	}
	w.pushText(failure(i, c))
	w.code.WriteString("    call $fail\n    drop\n    i32.const 2 ;; FAIL\n    return\n    end\n")
}

// failure returns the reason with which a guest fails after a call.
func failure(i int, c Call) string {
	line := c.Line
	if len(line) > 120 {
		line = line[:100] + "... = " + fmt.Sprint(c.Want)
	}
	return fmt.Sprintf("call %d: want %s", i+1, line)
}

// pushText pushes pointer and length of a text.
func (w *watWriter) pushText(s string) {
	fmt.Fprintf(&w.code, "    i32.const %d\n    i32.const %d\n", textsAt+len(w.texts), len(s))
	w.texts += s
}

// imports returns the imports that are called, and one more, each once.
func (w *watWriter) imports(more string) []abi.Import {
	var list []abi.Import
	for _, i := range abi.Imports {
		if i.Name == more || slices.ContainsFunc(w.used, func(u abi.Import) bool { return u.Name == i.Name }) {
			list = append(list, i)
		}
	}
	return list
}

func params(n int) string {
	if n == 0 {
		return ""
	}
	return " (param" + strings.Repeat(" i32", n) + ")"
}

// watText quotes bytes.
func watText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02x", c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
