package main

import "strings"

// referenceManifest adds the format of the manifest and a stage without an SDK.
func referenceManifest(p *page) {
	p.printf("%s", strings.ReplaceAll(manifestText, "~", "`"))
}

// manifestText has "~" for a backquote.
const manifestText = `## A stage without an SDK

It shows the first line of a content with two imports. Parameters and results are i32; Go passes its pointers as i32.

~~~go first.go
package main

import "unsafe"

//go:wasmimport mcpctl:core/v1 buf_find
func find(buf, off int32, needle unsafe.Pointer, length int32) int32

//go:wasmimport mcpctl:core/v1 out_span
func span(buf, off, length int32) int32

//go:wasmexport mcpctl_abi_v1
func marker() {}

//go:wasmexport mcpctl_stage
func stage() int32 {
	newline := byte('\n')
	end := find(0, 0, unsafe.Pointer(&newline), 1) // in buffer 0, the input
	if end < 0 || span(0, 0, end) < 0 {
		return 1 // PASS
	}
	return 0 // DONE
}

func main() {}
~~~

~~~sh
GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o first.wasm first.go
~~~

~~~
printf 'one line\nand another\n' | mcpctl stage run ./first.wasm
one line
mcpctl stage test ./first.wasm
ok json
~~~

A Go module exports its memory as ~memory~. In other languages the linker must export it. Nothing else is needed: a module without a manifest has one role, a stage with the name of its file (~first~), or a controller if it exports hooks
and no ~mcpctl_stage~. It has the capabilities that its imports need.

## Manifest

The manifest lists the roles, their config and their capabilities. The host reads it without running the module. It is in a
custom section:

| bytes | |
| --- | --- |
| ~00~ | section id of a custom section |
| unsigned LEB128 | size of the rest of the section |
| ~0f~ ~mcpctl.manifest~ | length and bytes of the name |
| the rest of the section | one JSON object, UTF-8, at most 64 KiB |

The section may be anywhere after the header of the module, once. ~mcpctl stage pack~ writes it from a ~plugin.yaml~, which has the
same fields (those of the only role may be at the top):

~~~yaml plugin.yaml
name: first
kind: stage
abi: 1
summary: Shows the first line
~~~

~~~
mcpctl stage pack . --module first.wasm -o packed.wasm
packed.wasm: 1 role,
mcpctl stage inspect packed.wasm
module first
abi 1.0
printf 'one line\nand another\n' | mcpctl stage run ./packed.wasm
one line
~~~

The section contains:

~~~json manifest.json
{"name":"first","abi":"1.0","summary":"Shows the first line","roles":[{"name":"first","kind":"stage","summary":"Shows the first line"}]}
~~~

Keys are exact and unique; an unknown key or word is an error, and the module is not loaded. Names are 1 to 63 characters: a to z, 0
to 9, then also ~. _ + -~.

| key of the manifest | type | |
| --- | --- | --- |
| ~name~ | name | required |
| ~abi~ | string | required: the lowest version of the ABI that the module needs, as ~"1.0"~ |
| ~roles~ | array | required: 1 to 64 roles, each with its own name |
| ~version~ | string | of the module, shown by ~stage inspect~ |
| ~summary~ | string | one line |
| ~license~ | string | SPDX expression |

| key of a role | type | |
| --- | --- | --- |
| ~name~ | name | required: the name in a proxymodel |
| ~kind~ | string | required: ~stage~ and ~filter~ need the export ~mcpctl_stage~, ~controller~ an export of a hook |
| ~summary~ | string | one line, shown by ~get stages~ |
| ~transforms~ | bool | of a stage; ~false~ means that it always returns PASS. Default ~true~ |
| ~llm~ | string | whether the role uses an LLM: ~none~ (default), ~optional~, or ~required~ if it only passes without one |
| ~config~ | array | the config of an entry of a proxymodel; without this key any config is passed on unchecked |
| ~capabilities~ | array of strings | ~cache~, ~llm~, ~session~ (of controllers), ~arguments~ (of stages: they read buffer 8); must contain all capabilities that the imports need |
| ~notifications~ | array of strings | methods that a controller may send with ~notify~ in addition to list_changed and message |
| ~hooks~ | array of strings | of a controller: ~on_initialize~, ~on_tools_list~, ~on_tool_call~, ~on_tool_result~, ~on_close~. Each needs its export. Empty means all exported hooks |
| ~gatedOnly~ | bool | of a controller: it does not run in projects with ~gated: false~ |
| ~examples~ | array of strings | files of ~testdata/~ in the plugin directory that show the role |

| key of a config field | type | |
| --- | --- | --- |
| ~name~ | string | required, unique in the role |
| ~type~ | string | required: ~string~, ~int~, ~number~, ~bool~, ~enum~, ~strings~, ~json~ |
| ~default~ | any | value in buffer 2 if an entry does not set the key |
| ~min~, ~max~ | number | of an int or number; the default is within them |
| ~values~ | array of strings | of an enum, required; of a bool, to allow one value only |
| ~help~ | string | one line, shown by ~describe stage~ |

`
