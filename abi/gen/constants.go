package main

import "strings"

// renderConstants renders the names and numbers of the ABI as Go.
func renderConstants(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\npackage abi\n\nimport \"strconv\"\n\n", notice)
	writeVersion(&p, s)
	writeExports(&p, s)
	writeCodes(&p, s)
	for _, e := range s.Enums {
		if !e.Hand {
			writeEnum(&p, e)
		}
	}
	writeRecords(&p, s)
	writeLimits(&p, s)
	writeNames(&p, s)
	writeTable(&p, s)
	return p.source()
}

func writeVersion(p *page, s *Spec) {
	p.printf("// The ABI version of this host.\nconst (\n")
	p.printf("Major = %d\nMinor = %d\nVersion = \"%d.%d\"\n)\n\n", s.Version.Major, s.Version.Minor, s.Version.Major, s.Version.Minor)
	p.printf("// Namespaces that guests import from.\nconst (\n")
	for _, ns := range s.Namespaces {
		p.comment("\t", ns.Go+": "+ns.Doc+".")
		p.printf("\t%s = %q\n", ns.Go, ns.Name)
	}
	p.printf(")\n\n")
}

func writeExports(p *page, s *Spec) {
	p.printf("// Names that a module exports.\nconst (\n")
	p.comment("\t", "ExportMarker is exported by every native module and never called: ABI major 1.")
	p.printf("\tExportMarker = %q\n", s.Marker)
	p.comment("\t", "ExportMemory is the one memory of the module.")
	p.printf("\tExportMemory = %q\n", s.Memory)
	for _, e := range s.Entries {
		p.comment("\t", e.Go+": "+e.Doc+".")
		p.printf("\t%s = %q\n", e.Go, e.Name)
	}
	p.printf(")\n\n")
}

func writeCodes(p *page, s *Spec) {
	p.printf("// ErrCode is the negative result of an import. A guest treats an unknown code as\n// a failure.\ntype ErrCode int32\n\n")
	p.printf("// The codes.\nconst (\n")
	for _, c := range s.Codes {
		p.comment("\t", c.Go+": "+c.Doc+".")
		p.printf("\t%s ErrCode = %d\n", c.Go, c.Value)
	}
	p.printf(")\n\n// String returns the code's name, such as \"NOT_FOUND\".\nfunc (c ErrCode) String() string {\nswitch c {\n")
	for _, c := range s.Codes {
		p.printf("case %s:\nreturn %q\n", c.Go, c.Name)
	}
	p.printf("}\nreturn \"code \" + strconv.Itoa(int(c))\n}\n\n")
}

func writeEnum(p *page, e Enum) {
	p.comment("", e.title()+": "+e.Doc+".")
	p.printf("const (\n")
	for _, v := range e.Values {
		p.comment("\t", v.Go+": "+v.Doc+".")
		p.printf("\t%s = %d\n", v.Go, v.Value)
	}
	p.printf(")\n\n")
}

func writeRecords(p *page, s *Spec) {
	p.comment("", "FirstHandle is the lowest handle; lower numbers are the buffers of every call.")
	p.printf("const FirstHandle = %d\n\n", s.FirstHandle)
	p.printf("// Sizes in bytes of the records that imports write. Integers are little-endian.\nconst (\n")
	for _, r := range s.Records {
		p.comment("\t", r.Go+": "+r.Doc+". Fields: "+strings.Join(r.Fields, ", ")+".")
		p.printf("\t%s = %d\n", r.Go, r.Size)
	}
	p.printf(")\n\n")
}

func writeLimits(p *page, s *Spec) {
	p.printf("// The default limits.\nconst (\n")
	for _, l := range s.Limits {
		text := l.Go + ": " + l.Doc
		if l.Key != "" {
			text += "; settings key limits." + l.Key
		}
		p.comment("\t", text+".")
		p.printf("\t%s = %d\n", l.Go, l.Value)
	}
	p.printf(")\n\n")
}

func writeNames(p *page, s *Spec) {
	for _, ns := range s.Namespaces {
		p.comment("", "Functions of "+ns.Name+".")
		p.printf("const (\n")
		for _, m := range ns.Imports {
			p.comment("\t", funcName(ns, m)+": "+signature(m)+" "+m.Doc+".")
			p.printf("\t//\n")
			p.comment("\t", "Result: "+m.Result+".")
			if len(m.Codes) > 0 {
				p.comment("\t", "Errors: "+strings.Join(m.Codes, ", ")+".")
			}
			p.comment("\t", "Since: ABI "+m.Since+".")
			p.printf("\t%s = %q\n", funcName(ns, m), m.Name)
		}
		p.printf(")\n\n")
	}
}

func funcName(ns Namespace, m Import) string { return "Func" + ns.Prefix + camel(m.Name) }

func writeTable(p *page, s *Spec) {
	p.printf(`// ValType is a WebAssembly value type as the binary format encodes it.
type ValType byte

// I32 is the only value type of ABI 1.0.
const I32 ValType = 0x7f

// Import is one function that a guest may import.
type Import struct {
	Namespace string
	Name      string
	Params    []ValType
	Results   []ValType
	Codes     []ErrCode // the negative results it can have
	Since     string    // lowest ABI version that has it
}

// Export is one function that the host calls.
type Export struct {
	Name    string
	Params  []ValType
	Results []ValType
	Since   string
}

`)
	p.printf("// Exports are the entries, the marker among them, in the order of the ABI. Not to be modified.\nvar Exports = []Export{\n")
	p.printf("{Name: ExportMarker, Since: \"%d.0\"},\n", s.Version.Major)
	for _, e := range s.Entries {
		results := ""
		if e.Result {
			results = "Results: i32s(1), "
		}
		p.printf("{Name: %s, %sSince: %q},\n", e.Go, results, e.Since)
	}
	p.printf("}\n\n")
	p.printf("// Imports are all functions of all namespaces, in the order of the ABI. Not to be modified.\nvar Imports = []Import{\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.printf("{%s, %s, i32s(%d), i32s(1), %s, %q},\n", ns.Go, funcName(ns, m), m.words(), codeList(s, m), m.Since)
		}
	}
	p.printf("}\n\nfunc i32s(n int) []ValType {\nt := make([]ValType, n)\nfor i := range t {\nt[i] = I32\n}\nreturn t\n}\n")
}

func codeList(s *Spec, m Import) string {
	if len(m.Codes) == 0 {
		return "nil"
	}
	var names []string
	for _, name := range m.Codes {
		for _, c := range s.Codes {
			if c.Name == name {
				names = append(names, c.Go)
			}
		}
	}
	return "[]ErrCode{" + strings.Join(names, ", ") + "}"
}
