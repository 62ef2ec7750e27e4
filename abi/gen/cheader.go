package main

import (
	_ "embed"
	"strings"
)

// inline has the handwritten helpers of the header.
//
//go:embed inline.h
var inline string

// renderHeader renders abi/c/mcpctl.h, the header of guests in C.
func renderHeader(s *Spec) ([]byte, error) {
	var p page
	p.printf("/* %s */\n\n", notice)
	p.printf(`/* mcpctl ABI %d.%d for guests in C and C++. One header, no library:
 *
 *   clang --target=wasm32 -O2 -mbulk-memory -nostdlib -Wl,--no-entry -Wl,-s -o lead.wasm lead.c
 *
 * A stage:
 *
 *   #include "mcpctl.h"
 *   MCPCTL_ABI
 *   MCPCTL_STAGE {
 *     int at = mcpctl_buf_find(MCPCTL_INPUT, 0, MCPCTL_TEXT("\n---\n"));
 *     if (at < 0) return MCPCTL_PASS;
 *     return mcpctl_done(mcpctl_out_span(MCPCTL_INPUT, 0, at));
 *   }
 *
 * Offsets and lengths are bytes; a length of -1 means to the end. A negative result is
 * one of the codes. Text is UTF-8 and has a length, not a zero at its end; MCPCTL_TEXT
 * returns both for a literal. A function that is not called is not imported. Every call
 * starts with the initial memory of the module. Without -mbulk-memory the compiler may
 * need a memcpy, which does not exist.
 *
 * For another target the functions have no body: a test must define them. */
#ifndef MCPCTL_H
#define MCPCTL_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __wasm__
#define MCPCTL_EXPORT(name) __attribute__((export_name(name)))
#define MCPCTL_IMPORT(module, name) __attribute__((import_module(module), import_name(name)))
#else
#define MCPCTL_EXPORT(name)
#define MCPCTL_IMPORT(module, name)
#endif

typedef unsigned char mcpctl_u8;
typedef unsigned int mcpctl_u32;

`, s.Version.Major, s.Version.Minor)
	headerValues(&p, s)
	headerRecords(&p, s)
	headerExports(&p, s)
	for _, ns := range s.Namespaces {
		headerImports(&p, s, ns)
	}
	p.printf("\n%s\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", inline)
	return p.Bytes(), nil
}

func headerValues(p *page, s *Spec) {
	p.printf("/* Codes: negative results. An unknown code is a failure too. */\n")
	for _, c := range s.Codes {
		p.printf("#define MCPCTL_%s (%d) /* %s */\n", c.Name, c.Value, c.Doc)
	}
	for _, e := range s.Enums {
		if e.String {
			continue
		}
		p.printf("\n/* %s%s: %s. */\n", strings.ToUpper(e.Name[:1]), e.Name[1:], e.Doc)
		for _, v := range e.Values {
			p.printf("#define MCPCTL_%s (%d) /* %s */\n", headerName(e, v), v.Value, v.Doc)
		}
	}
	p.printf("\n/* The lowest handle. */\n#define MCPCTL_FIRST_HANDLE (%d)\n\n/* Default limits. */\n", s.FirstHandle)
	for _, l := range s.Limits {
		p.printf("#define MCPCTL_%s (%d) /* %s */\n", shout(l.Go), l.Value, l.Doc)
	}
}

// headerName returns the name of a value, with the prefix of its enum except for return
// codes and buffers.
func headerName(e Enum, v Value) string {
	if e.Name == "return code" || e.Name == "buffer" {
		return v.Name
	}
	name := strings.ToUpper(strings.NewReplacer(" ", "_", "LLM_", "").Replace(strings.TrimSuffix(e.Name, " flag")))
	return name + "_" + v.Name
}

// shout returns LIMIT_MODULE_BYTES for LimitModuleBytes.
func shout(name string) string {
	var b strings.Builder
	for i, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && (name[i-1] >= 'a' || i+1 < len(name) && name[i+1] >= 'a') {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

func headerRecords(p *page, s *Spec) {
	p.printf("\n/* Records that imports write. */\n")
	for _, r := range s.Records {
		if len(r.Fields) < 2 {
			continue
		}
		p.block(sentence(r.Doc))
		p.printf("typedef struct {\n")
		for _, f := range r.Fields {
			typ, name, _ := strings.Cut(f, " ")
			if size, bytes := strings.CutPrefix(typ, "u8"); bytes {
				p.printf("  mcpctl_u8 %s%s;\n", snakeCase(name), size)
				continue
			}
			p.printf("  %s %s;\n", map[string]string{"i32": "int", "u32": "mcpctl_u32"}[typ], snakeCase(name))
		}
		p.printf("} mcpctl_%s;\n\n", r.Name)
	}
}

// sentence returns text with a capital at the start and a full stop at the end.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// block adds text as a documentation comment of at most 96 columns.
func (p *page) block(paragraphs ...string) {
	p.printf("/**")
	for i, text := range paragraphs {
		column := 3
		if i > 0 {
			p.printf("\n *")
			column = 2
		}
		for _, word := range strings.Fields(text) {
			if column+1+len(word) > 93 {
				p.printf("\n *")
				column = 2
			}
			p.printf(" %s", word)
			column += 1 + len(word)
		}
	}
	p.printf(" */\n")
}

func snakeCase(name string) string { return strings.ToLower(shout(name)) }

func headerExports(p *page, s *Spec) {
	p.block("The marker of the ABI's major, once in a module.")
	p.printf(`#define MCPCTL_ABI \
  MCPCTL_EXPORT("%s") void %s(void); \
  void %s(void) {}

/* Entries; each is followed by its body: MCPCTL_STAGE { return MCPCTL_PASS; } */

`, s.Marker, s.Marker, s.Marker)
	for _, e := range s.Entries {
		if !strings.HasPrefix(e.Name, "mcpctl_") {
			continue
		}
		p.block(sentence(e.Doc))
		p.printf("#define %s \\\n  MCPCTL_EXPORT(\"%s\") int %s(void); \\\n  int %s(void)\n\n", strings.ToUpper(e.Name), e.Name, e.Name, e.Name)
	}
}

func headerImports(p *page, s *Spec, ns Namespace) {
	p.printf("/* %s: %s. */\n", ns.Name, ns.Doc)
	for _, m := range ns.Imports {
		p.printf("\n")
		last := sentence("result: " + m.Result)
		if len(m.Codes) > 0 {
			last += " Codes: " + strings.Join(m.Codes, ", ") + "."
		}
		if first := itoa(s.Version.Major) + ".0"; m.Since != first {
			last += " Since " + m.Since + "."
		}
		p.block(sentence(m.Doc), last)
		p.printf("MCPCTL_IMPORT(\"%s\", \"%s\")\nint %s(%s);\n", ns.Name, m.Name, headerFunc(ns, m), headerParams(m))
	}
	p.printf("\n")
}

func headerFunc(ns Namespace, m Import) string {
	if ns.Prefix != "" {
		return "mcpctl_" + strings.ToLower(ns.Prefix) + "_" + m.Name
	}
	return "mcpctl_" + m.Name
}

func headerParams(m Import) string {
	if len(m.Params) == 0 {
		return "void"
	}
	var list []string
	for _, param := range m.Params {
		switch param.Type {
		case "bytes":
			list = append(list, "const char *"+param.Name, "int "+param.Name+"_len")
		case "out":
			list = append(list, "void *"+param.Name, "int cap")
		case "ptr":
			list = append(list, "void *"+param.Name+" /* "+itoa(param.Size)+" bytes */")
		default:
			list = append(list, "int "+param.Name)
		}
	}
	return strings.Join(list, ", ")
}
