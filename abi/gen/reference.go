package main

import "strings"

// renderReference renders docs/abi.md.
func renderReference(s *Spec) ([]byte, error) {
	var p page
	p.printf("<!-- %s -->\n\n# ABI %d.%d reference\n\n", notice, s.Version.Major, s.Version.Minor)
	p.printf(`The exports of a WebAssembly module that is a plugin of mcpctl, and the imports that it can use.
Use ` + "`sdk-go`" + `, ` + "`sdk-rust`" + ` or ` + "`sdk-assemblyscript`" + `, or in C ` + "`abi/c/mcpctl.h`" + `, which hide or name the details below
(see [authoring.md](authoring.md)).

- Every parameter and result is an i32. Offsets and lengths are bytes; a length of -1 means to the end of the buffer.
- For parameters ` + "`x, x_len`" + ` guest memory at ` + "`x`" + ` is read; for ` + "`out, cap`" + ` it is written. A range outside the guest's
  memory traps.
- ` + "`cap`" + ` counts bytes, for records too: ` + "`buf_lines`" + ` with a cap of 4,096 writes at most 1,024 records of 4 bytes. Only
  whole records are written.
- A negative result is a code. Integers that the host writes are little-endian and need no alignment.
- Text is UTF-8.

`)
	referenceExports(&p, s)
	referenceManifest(&p)
	for _, ns := range s.Namespaces {
		referenceNamespace(&p, ns)
	}
	referenceContext(&p, s)
	p.printf("%s", strings.ReplaceAll(argumentsText, "~", "`"))
	referenceNumbers(&p, s)
	referenceLimits(&p, s)
	p.printf("%s", strings.ReplaceAll(cachingText, "~", "`"))
	return p.Bytes(), nil
}

func referenceExports(p *page, s *Spec) {
	p.printf("## Exports\n\n| name | signature | since | |\n| --- | --- | --- | --- |\n")
	p.printf("| `%s` | memory | %d.0 | the one memory of the module, 32-bit, not shared |\n", s.Memory, s.Version.Major)
	p.printf("| `%s` | `() -> ()` | %d.0 | marks a module of ABI major %d; never called |\n", s.Marker, s.Version.Major, s.Version.Major)
	for _, e := range s.Entries {
		signature := "() -> ()"
		if e.Result {
			signature = "() -> i32"
		}
		p.printf("| `%s` | `%s` | %s | %s |\n", e.Name, signature, e.Since, cell(e.Doc))
	}
	p.printf("\n")
}

// cell returns text with escapes for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func referenceNamespace(p *page, ns Namespace) {
	p.printf("## `%s`\n\n%s.\n\n", ns.Name, strings.ToUpper(ns.Doc[:1])+ns.Doc[1:])
	p.printf("| function | does | result | codes | since |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range ns.Imports {
		p.printf("| `%s` | %s | %s | %s | %s |\n", signature(m), cell(m.Doc), cell(m.Result), strings.Join(m.Codes, ", "), m.Since)
	}
	p.printf("\n")
}

func referenceContext(p *page, s *Spec) {
	p.printf("## Context\n\nBuffer 3, a JSON object. A later minor may add fields.\n\n| field | type | of | | since |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range s.Context {
		p.printf("| `%s` | %s | %s | %s | %s |\n", f.Name, f.Type, f.Of, cell(f.Doc), f.Since)
	}
	p.printf("\n")
}

func referenceNumbers(p *page, s *Spec) {
	p.printf("## Codes\n\n| code | name | meaning | since |\n| --- | --- | --- | --- |\n")
	for _, c := range s.Codes {
		p.printf("| %d | %s | %s | %s |\n", c.Value, c.Name, cell(c.Doc), c.Since)
	}
	p.printf("\n## Values\n\n")
	for _, e := range s.Enums {
		p.printf("### %s%s\n\n%s%s.\n\n| value | name | meaning | since |\n| --- | --- | --- | --- |\n",
			strings.ToUpper(e.Name[:1]), e.Name[1:], strings.ToUpper(e.Doc[:1]), e.Doc[1:])
		for _, v := range e.Values {
			value := itoa(v.Value)
			if e.String {
				value = "`" + v.Name + "`"
			}
			p.printf("| %s | %s | %s | %s |\n", value, v.Name, cell(v.Doc), v.Since)
		}
		p.printf("\n")
	}
	p.printf("Handles are numbered from %d.\n\n## Records\n\n| record | bytes | fields | | since |\n| --- | --- | --- | --- | --- |\n", s.FirstHandle)
	for _, r := range s.Records {
		p.printf("| %s | %d | %s | %s | %s |\n", r.Name, r.Size, strings.Join(r.Fields, ", "), cell(r.Doc), r.Since)
	}
	p.printf("\n")
}

func referenceLimits(p *page, s *Spec) {
	p.printf("## Limits\n\nThese are the defaults. A limit with a key is set in `config.yaml` as `limits.KEY` (`mcpctl config set limits.memory 128MiB`);\nan entry of a proxymodel can set lower limits under `limits`, with the keys `time`, `memory`, `output`, `sections`, `llmTime`\nand `llmRequests`.\n\nA call ends when its processor time reaches `time`, or when twice that time has passed on the wall without waits inside\nimports, because other programs may use the processors. The message names the limit: `guest trapped after 2.0s`, or\n`guest trapped after 4.0s on the wall, twice its limit, 1.3s of them on a processor`.\n\n" + countersText + "| limit | value | key | |\n| --- | --- | --- | --- |\n")
	for _, l := range s.Limits {
		key := ""
		if l.Key != "" {
			key = "`" + l.Key + "`"
		}
		p.printf("| %s | %s | %s | %s |\n", l.Go, figure(l), key, cell(l.Doc))
	}
}

// figure formats 33554432 bytes as 32 MiB and 2000000000 as 2,000,000,000.
func figure(l Limit) string {
	switch {
	case l.Unit == "bytes" && l.Value >= 1<<20 && l.Value%(1<<20) == 0:
		return itoa(l.Value>>20) + " MiB"
	case l.Unit == "bytes" && l.Value >= 1<<10 && l.Value%(1<<10) == 0:
		return itoa(l.Value>>10) + " KiB"
	}
	text := itoa(l.Value)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if l.Unit != "" {
		text += " " + l.Unit
	}
	return text
}

// argumentsText has "~" for a backquote.
const argumentsText = `## Arguments

Buffer 8, for a stage whose manifest lists the capability ~arguments~ (since 1.2). It is a JSON object, or empty. It contains the
arguments of the tools/call as they were forwarded to the server, after the controllers, or those of the prompts/get. A resource
has none: its URI is the source. The arguments that mcpctl reads itself are not forwarded: ~_section~ is in no buffer, and
~_question~, a text of up to 2,000 bytes in which the model says what it wants to know, is here under this key.

Texts that look like a credential, and the secrets of all servers, are replaced by ~***~. Then the filters of the proxymodel run
over the JSON, as they do over the content. The buffer is empty

- without the capability, for filters and for hooks,
- if the call has no arguments, or has more than 16 KiB of them,
- if a filter fails, blocks the arguments, or returns anything but a JSON object.

A stage must be useful without arguments: the results of controllers, of tasks and of a client's own tools have none.

`

// cachingText has "~" for a backquote.
const cachingText = `
## Caching

The host caches the results of stages and filters. If a run has the same key as an earlier one, the cached output, Sections and
metadata are used and the module does not run. The key of a run is the SHA-256 of all values that the run can read:

| value | part of the key |
| --- | --- |
| ABI version of the host | the version |
| module | SHA-256 of the module |
| config (buffer 2) | the JSON, defaults included |
| context (buffer 3) | every field, including the project, the source (buffer 4) and the limits |
| input (buffer 0) | SHA-256 of the bytes, and of the index marks in them |
| Sections (buffer 5) | SHA-256 of the tree |
| original (buffer 1) | SHA-256 of the bytes |
| arguments (buffer 8) | SHA-256 of the bytes, only for a role with the capability ~arguments~ |
| LLM | provider, model and parameters of the tiers that the stage may use; empty without LLM |
| proxymodel | its name, only in a project of a team server: results that a team shares are trusted for one proxymodel |

The session (buffer 6), the time and the time limit are not part of the key. A run is not cached if it

- fails,
- reads the session,
- lacks an answer of an LLM: the stage runs again when the answer arrives,
- belongs to a proxymodel with ~cacheable: false~.

Values of ~cache_set~ are separate. They are private to the module, the role, its config and the project, and may be evicted at
any time. Answers of an LLM are stored by project, LLM, instructions and text. ~mcpctl cache clear~ deletes all of these.
Hooks of controllers are not cached.
`

// countersText describes the counters in local modules and the limits on their files.
const countersText = `Modules that are not part of mcpctl get two counters when they are loaded. The *fuel* counts instructions: a function pays when it
begins, a loop at each iteration, and a bulk instruction by its length. It does not end a call; when about a million units are
used, the host checks the time and lets other modules run. The counters add about a tenth to the time of a call. The *stack* counts
the estimated bytes of the frames of functions that may take part in a recursion; a guest that exceeds it traps with
"stack overflow".

A file is refused if a function has more than 1,000 loops, 1,000 bulk instructions, 2,500 blocks inside each other or 10,000
locals, if all functions have more than 1,000,000 locals, or if it uses an extension after WebAssembly 2.0. The daemon compiles a
new file in a process of its own with the lowest priority, 2 GiB of memory and 30 s of processor time. Its guests run in another
one, which can open no file, connection or program; a guest that does not stop within 250 ms of its limit ends that process, and
with it all calls of the module. ` + "`mcpctl config set isolation inprocess`" + ` runs them in the daemon instead.

`
