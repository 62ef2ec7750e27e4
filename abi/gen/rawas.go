package main

import "strings"

// The AssemblyScript SDK has the imports as declarations and, for its test stub in
// JavaScript, as a table.

func renderRawAS(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n// The imports and numbers of ABI %d.%d. Only the SDK uses them.\n\n", notice, s.Version.Major, s.Version.Minor)
	scriptValues(&p, s, "export const %s: i32 = %d;")
	for _, ns := range s.Namespaces {
		p.printf("// %s: %s.\n\n", ns.Name, ns.Doc)
		for _, m := range ns.Imports {
			p.comment("", scriptName(ns, m)+" "+m.Doc+".")
			p.printf("@external(\"%s\", \"%s\")\nexport declare function %s(%s): i32;\n\n", ns.Name, m.Name, scriptName(ns, m), scriptParams(m))
		}
	}
	return p.text(), nil
}

func renderHostJS(s *Spec) ([]byte, error) {
	var p page
	p.printf("// %s\n\n// ABI %d.%d for the test stub.\n\n", notice, s.Version.Major, s.Version.Minor)
	p.printf("export const MARKER = %q;\nexport const VERSION = \"%d.%d\";\n\n", s.Marker, s.Version.Major, s.Version.Minor)
	p.printf("// The codes by number.\nexport const CODES = {\n")
	for _, c := range s.Codes {
		p.printf("  \"%d\": \"%s\",\n", c.Value, c.Name)
	}
	p.printf("};\n\n")
	scriptValues(&p, s, "export const %s = %d;")
	p.printf("// The imports: namespace, name, name in the host, and its parameters, a letter each:\n// i a number, b bytes to read (two words), o a place of some size to write (two\n// words), a digit one of that many times 8 bytes.\nexport const IMPORTS = [\n")
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			p.printf("  [\"%s\", \"%s\", \"%s\", \"%s\"],\n", ns.Name, m.Name, scriptName(ns, m), scriptKinds(m))
		}
	}
	p.printf("];\n")
	return p.text(), nil
}

// text returns the text of the page with one newline at its end.
func (p *page) text() []byte { return []byte(strings.TrimRight(p.String(), "\n") + "\n") }

// scriptValues adds all numbers, each with a format of its name and value.
func scriptValues(p *page, s *Spec, form string) {
	p.printf("// Codes.\n")
	for _, c := range s.Codes {
		p.printf(form+" // %s\n", shout(c.Go), c.Value, c.Doc)
	}
	for _, e := range s.Enums {
		if e.String {
			continue
		}
		p.printf("\n")
		p.comment("", e.title()+": "+e.Doc+".")
		for _, v := range e.Values {
			p.printf(form+" // %s\n", shout(v.Go), v.Value, v.Doc)
		}
	}
	p.printf("\n// The lowest handle.\n"+form+"\n\n// Sizes in bytes of the records that imports write.\n", "FIRST_HANDLE", s.FirstHandle)
	for _, r := range s.Records {
		p.printf(form+"\n", shout(r.Go), r.Size)
	}
	p.printf("\n// Limits.\n")
	for _, l := range s.Limits {
		p.printf(form+" // %s\n", shout(l.Go), l.Value, l.Doc)
	}
	p.printf("\n")
}

// scriptName returns bufRead for buf_read and llmBegin for begin.
func scriptName(ns Namespace, m Import) string {
	if ns.Prefix != "" {
		return strings.ToLower(ns.Prefix) + scriptCamel("_"+m.Name)
	}
	return scriptCamel(m.Name)
}

// scriptCamel is like lowerCamel without words in capitals: jsonI64, sectionId.
func scriptCamel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func scriptParams(m Import) string {
	var list []string
	for _, p := range m.Params {
		name := scriptCamel(p.Name)
		switch p.Type {
		case "bytes":
			list = append(list, name+": usize", name+"Len: i32")
		case "out":
			list = append(list, name+": usize", "cap: i32")
		case "ptr":
			list = append(list, name+": usize")
		default:
			list = append(list, name+": i32")
		}
	}
	return strings.Join(list, ", ")
}

func scriptKinds(m Import) string {
	kinds := ""
	for _, p := range m.Params {
		switch p.Type {
		case "bytes":
			kinds += "b"
		case "out":
			kinds += "o"
		case "ptr":
			kinds += string(rune('0' + p.Size/8))
		default:
			kinds += "i"
		}
	}
	return kinds
}
