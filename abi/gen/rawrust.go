package main

import "strings"

// renderRawRust writes the raw bindings of sdk-rust: one set of functions, which
// call the imports in a guest, and the test stub in any other build.
func renderRawRust(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n// The imports and numbers of ABI %d.%d.\n\n", notice, s.Version.Major, s.Version.Minor)
	rustNumbers(&p, s)
	for _, ns := range s.Namespaces {
		rustImports(&p, ns)
	}
	rustHost(&p, s)
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			rustFunction(&p, ns, m)
		}
	}
	return p.Bytes(), nil
}

func rustNumbers(p *page, s *Spec) {
	for _, c := range s.Codes {
		p.printf("pub const CODE_%s: i32 = %d;\n", c.Name, c.Value)
	}
	for _, e := range s.Enums {
		if e.String {
			continue
		}
		p.printf("\n")
		for _, v := range e.Values {
			p.printf("pub const %s: i32 = %d;\n", shout(v.Go), v.Value)
		}
	}
	p.printf("\npub const FIRST_HANDLE: i32 = %d;\n\n", s.FirstHandle)
	for _, r := range s.Records {
		p.printf("pub const %s: usize = %d;\n", shout(r.Go), r.Size)
	}
	p.printf("\n")
	for _, l := range s.Limits {
		p.printf("pub const %s: usize = %d;\n", shout(l.Go), l.Value)
	}
}

func rustImports(p *page, ns Namespace) {
	p.printf("\n#[cfg(target_arch = \"wasm32\")]\n#[link(wasm_import_module = %q)]\nextern \"C\" {\n", ns.Name)
	for _, m := range ns.Imports {
		p.printf("    #[link_name = %q]\n    fn import_%s(%s) -> i32;\n", m.Name, rustName(ns, m), rustWords(m))
	}
	p.printf("}\n")
}

func rustHost(p *page, s *Spec) {
	p.printf("\n/// Answers the imports in a native build. An import that an implementation lacks\n/// goes to `missing`.\n")
	p.printf("#[cfg(not(target_arch = \"wasm32\"))]\n#[allow(unused_variables)]\npub trait Host {\n    fn missing(&mut self, import: &'static str) -> i32;\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			name, params := rustName(ns, m), strings.Join(append([]string{"&mut self"}, rustParams(m)...), ", ")
			p.printf("    fn %s(%s) -> i32 { self.missing(%q) }\n", name, params, name)
		}
	}
	p.printf("}\n")
}

func rustFunction(p *page, ns Namespace, m Import) {
	var words, names []string
	for _, param := range m.Params {
		name := rustParam(param)
		names = append(names, name)
		switch param.Type {
		case "bytes":
			words = append(words, name+".as_ptr()", name+".len()")
		case "out":
			words = append(words, name+".as_mut_ptr()", name+".len()")
		case "ptr":
			words = append(words, name+".as_mut_ptr()")
		default:
			words = append(words, name)
		}
	}
	name := rustName(ns, m)
	p.printf("\n#[inline(always)]\npub fn %s(%s) -> i32 {\n", name, strings.Join(rustParams(m), ", "))
	p.printf("    #[cfg(target_arch = \"wasm32\")]\n    return unsafe { import_%s(%s) };\n", name, strings.Join(words, ", "))
	p.printf("    #[cfg(not(target_arch = \"wasm32\"))]\n    super::native::ask(|host| host.%s(%s))\n}\n", name, strings.Join(names, ", "))
}

func rustName(ns Namespace, m Import) string {
	if ns.Prefix != "" {
		return strings.ToLower(ns.Prefix) + "_" + m.Name
	}
	return m.Name
}

func rustParams(m Import) []string {
	var list []string
	for _, param := range m.Params {
		typ := "i32"
		switch param.Type {
		case "bytes":
			typ = "&[u8]"
		case "out":
			typ = "&mut [u8]"
		case "ptr":
			typ = "&mut [u8; " + itoa(param.Size) + "]"
		}
		list = append(list, rustParam(param)+": "+typ)
	}
	return list
}

// rustWords returns the parameters of an import in the ABI.
func rustWords(m Import) string {
	var list []string
	for _, param := range m.Params {
		name := rustParam(param)
		switch param.Type {
		case "bytes":
			list = append(list, name+": *const u8", name+"_len: usize")
		case "out":
			list = append(list, name+": *mut u8", "cap: usize")
		case "ptr":
			list = append(list, name+": *mut u8")
		default:
			list = append(list, name+": i32")
		}
	}
	return strings.Join(list, ", ")
}

// rustParam returns p's name, or another one if it is a keyword of Rust.
func rustParam(p Param) string {
	if p.Name == "ref" {
		return "content"
	}
	return p.Name
}
