package main

import "strings"

// renderReference renders docs/abi.md.
func renderReference(s *Spec) ([]byte, error) {
	var p page
	p.printf("<!-- %s -->\n\n# ABI %d.%d reference\n\n", notice, s.Version.Major, s.Version.Minor)
	p.printf(`The exports of a WebAssembly module that is a plugin of mcpctl, and the imports that it can use.
In Go use ` + "`sdk-go`" + `, in C ` + "`abi/c/mcpctl.h`" + `; they hide or name the details below.

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
	referenceNumbers(&p, s)
	referenceLimits(&p, s)
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
	p.printf("## Limits\n\nThese are the defaults. A limit with a key is set in `config.yaml` as `limits.KEY` (`mcpctl config set limits.memory 128MiB`);\nan entry of a ProxyModel can reduce it.\n\nA call ends when its processor time reaches `time`, or when twice that time has passed on the wall without waits inside\nimports, because other programs may use the processors. The message names the limit: `guest trapped after 2.0s`, or\n`guest trapped after 4.0s on the wall, twice its limit, 1.3s of them on a processor`.\n\n| limit | value | key | |\n| --- | --- | --- | --- |\n")
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
