package main

import "strings"

// The raw bindings of sdk-go come in two files of one surface: imports for a
// guest, and for any other build calls of a Host that a test provides.

func renderRawGuest(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n//go:build wasip1\n\npackage raw\n\nimport \"unsafe\"\n\n", notice)
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.comment("", goName(ns, m)+" "+m.Doc+".")
			p.printf("//\n//go:wasmimport %s %s\n//go:noescape\nfunc %s(%s) int32\n\n", ns.Name, m.Name, goName(ns, m), rawParams(m))
		}
	}
	return p.source()
}

func renderRawNative(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n//go:build !wasip1\n\npackage raw\n\nimport \"unsafe\"\n\n", notice)
	p.printf("// Host answers the imports where there is no WebAssembly host. Memory that it is\n// given is the caller's: it keeps none of it.\ntype Host interface {\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.printf("\t%s(%s) int32\n", goName(ns, m), hostParams(m))
		}
	}
	p.printf("}\n\n")
	p.printf("var host Host\n\n// Use makes h answer from now on; without one, all imports are UNSUPPORTED.\n// Not safe for concurrent use.\nfunc Use(h Host) { host = h }\n\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.comment("", goName(ns, m)+" "+m.Doc+".")
			p.printf("func %s(%s) int32 {\nif host == nil {\nreturn CodeUnsupported\n}\nreturn host.%s(%s)\n}\n\n", goName(ns, m), rawParams(m), goName(ns, m), hostArgs(m))
		}
	}
	return p.source()
}

func renderRawConstants(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n", notice)
	p.printf("// Package raw binds the imports of ABI %d.%d one to one. Only packages stage\n// and controller, which hide it, and those of their test hosts, which answer it,\n// use it.\npackage raw\n\n", s.Version.Major, s.Version.Minor)
	p.printf("// Codes.\nconst (\n")
	for _, c := range s.Codes {
		p.printf("\t%s int32 = %d // %s\n", c.Go, c.Value, c.Name)
	}
	p.printf(")\n\n")
	for _, e := range s.Enums {
		if e.String {
			continue
		}
		p.comment("", strings.ToUpper(e.Name[:1])+e.Name[1:]+"s: "+e.Doc+".")
		p.printf("const (\n")
		for _, v := range e.Values {
			p.printf("\t%s int32 = %d // %s\n", v.Go, v.Value, v.Doc)
		}
		p.printf(")\n\n")
	}
	p.printf("// FirstHandle is the lowest handle.\nconst FirstHandle int32 = %d\n\n", s.FirstHandle)
	p.printf("// Sizes in bytes of what imports write.\nconst (\n")
	for _, r := range s.Records {
		p.printf("\t%s = %d\n", r.Go, r.Size)
	}
	p.printf(")\n\n// Limits.\nconst (\n")
	for _, l := range s.Limits {
		p.printf("\t%s = %d // %s\n", l.Go, l.Value, l.Doc)
	}
	p.printf(")\n")
	return p.source()
}

func goName(ns Namespace, m Import) string { return ns.Prefix + camel(m.Name) }

func rawParams(m Import) string {
	return joinParams(m, map[string]string{"i32": " int32", "buf": " int32", "bytes": " string", "out": " unsafe.Pointer, size int32", "ptr": " unsafe.Pointer"})
}

func hostParams(m Import) string {
	return joinParams(m, map[string]string{"i32": " int32", "buf": " int32", "bytes": " string", "out": " []byte", "ptr": " []byte"})
}

func joinParams(m Import, types map[string]string) string {
	var list []string
	for _, p := range m.Params {
		list = append(list, paramName(p)+types[p.Type])
	}
	return strings.Join(list, ", ")
}

func hostArgs(m Import) string {
	var list []string
	for _, p := range m.Params {
		arg := paramName(p)
		switch p.Type {
		case "out":
			arg = "unsafe.Slice((*byte)(" + arg + "), size)"
		case "ptr":
			arg = "unsafe.Slice((*byte)(" + arg + "), " + itoa(p.Size) + ")"
		}
		list = append(list, arg)
	}
	return strings.Join(list, ", ")
}

// paramName is p's name where it is no word of Go.
func paramName(p Param) string {
	switch p.Name {
	case "len":
		return "n"
	case "bytes":
		return "data"
	}
	return lowerCamel(p.Name)
}
