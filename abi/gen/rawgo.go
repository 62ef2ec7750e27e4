package main

import "strings"

// The raw bindings of sdk-go are two files with the same functions: imports for a guest,
// and calls of a Host of a test for any other build.

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
	p.printf("// Host answers the imports in a native build. It must not keep memory of its\n// arguments.\ntype Host interface {\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.printf("\t%s(%s) int32\n", goName(ns, m), hostParams(m))
		}
	}
	p.printf("}\n\n")
	p.printf("var host Host\n\n// Use sets the host; without one, all imports are UNSUPPORTED.\n// Not safe for concurrent use.\nfunc Use(h Host) { host = h }\n\n")
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
	p.printf("// Package raw has the imports of ABI %d.%d. Only packages stage and controller and\n// their test hosts use it.\npackage raw\n\n", s.Version.Major, s.Version.Minor)
	p.printf("// Codes.\nconst (\n")
	for _, c := range s.Codes {
		p.printf("\t%s int32 = %d // %s\n", c.Go, c.Value, c.Name)
	}
	p.printf(")\n\n")
	for _, e := range s.Enums {
		if e.String {
			continue
		}
		p.comment("", e.title()+": "+e.Doc+".")
		p.printf("const (\n")
		for _, v := range e.Values {
			p.printf("\t%s int32 = %d // %s\n", v.Go, v.Value, v.Doc)
		}
		p.printf(")\n\n")
	}
	p.printf("// FirstHandle is the lowest handle.\nconst FirstHandle int32 = %d\n\n", s.FirstHandle)
	p.printf("// Sizes in bytes of the records that imports write.\nconst (\n")
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

// paramName returns p's name, or another one if it is a keyword of Go.
func paramName(p Param) string {
	switch p.Name {
	case "len":
		return "n"
	case "bytes":
		return "data"
	}
	return lowerCamel(p.Name)
}
