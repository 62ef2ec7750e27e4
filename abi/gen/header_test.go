package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A guest with every entry and a call of every function of the header compiles without
// a warning, as C and as C++, for Wasm and natively. Without clang this is skipped, because
// make test does not need it.
func TestHeaderCompiles(t *testing.T) {
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("no clang")
	}
	header, err := os.ReadFile("../c/mcpctl.h")
	if err != nil {
		t.Fatal(err)
	}
	guest := "#include \"mcpctl.h\"\nMCPCTL_ABI\nMCPCTL_STAGE { return MCPCTL_PASS; }\n"
	for _, hook := range []string{"INITIALIZE", "TOOLS_LIST", "TOOL_CALL", "TOOL_RESULT", "CLOSE"} {
		guest += "MCPCTL_ON_" + hook + " { return mcpctl_failed(MCPCTL_TEXT(\"no\")); }\n"
	}
	guest += "typedef void (*any_function)(void);\nextern const any_function functions[];\nconst any_function functions[] = {\n"
	names := regexp.MustCompile(`(?m)^(?:static inline )?\w+(?: \w+)* \*?(mcpctl_\w+)\(`).FindAllStringSubmatch(string(header), -1)
	if len(names) < 60 {
		t.Fatalf("%d functions found in the header", len(names))
	}
	wasmOnly := strings.Index(string(header), "static inline void *mcpctl_grow")
	for _, m := range names {
		line := "  (any_function)" + m[1] + ",\n"
		if strings.Index(string(header), m[1]+"(") >= wasmOnly {
			line = "#ifdef __wasm__\n" + line + "#endif\n"
		}
		guest += line
	}
	guest += "};\n"
	source := filepath.Join(t.TempDir(), "guest.c")
	if err := os.WriteFile(source, []byte(guest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, as := range [][]string{{"-x", "c", "-std=c11"}, {"-x", "c++", "-std=c++17"}} {
		for _, target := range [][]string{{"--target=wasm32"}, nil} {
			args := append([]string{"-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type", "-O2", "-mbulk-memory", "-I../c", "-c", "-o", os.DevNull}, as...)
			if target == nil {
				args[5] = "-O2"
			}
			args = append(append(args, target...), source)
			if text, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, text)
			}
		}
	}
}
