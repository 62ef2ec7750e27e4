package sdk

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
)

var modSDK = regexp.MustCompile(`(?m)^replace (\S+) => .*$`)

// goText: the function and the module have a form of their own.
func goText(role, file string, text []byte, n names, sdk string) []byte {
	s := string(text)
	switch path.Ext(file) {
	case ".go":
		title := strings.ToUpper(role[:1]) + role[1:]
		s = strings.NewReplacer(
			"// "+title+" is", "// Command "+role+" is",
			`"`+role+`", `+role+`)`, `"`+role+`", `+n.Func+`)`,
			"func "+role+"(c *stage.Ctx)", "func "+n.Func+"(c *stage.Ctx)",
		).Replace(s)
	case ".mod":
		s = strings.Replace(s, "module "+role+"\n", "module stages.local/"+n.File+"\n", 1)
		s = modSDK.ReplaceAllString(s, "replace ${1} => "+sdk)
	}
	return []byte(s)
}

// rustText: the function, the package and the file that Cargo builds.
func rustText(role, file string, text []byte, n names, sdk string) []byte {
	return []byte(strings.NewReplacer(
		`name = "`+role+`"`, `name = "`+n.Crate+`"`,
		`path = "../../../sdk-rust"`, `path = `+sdk,
		`("`+role+`", `+role+`)`, `("`+role+`", `+n.Snake+`)`,
		"fn "+role+"(", "fn "+n.Snake+"(",
		"super::"+role, "super::"+n.Snake,
		strings.ToUpper(role), "HOOKS", // of a controller
		"/release/"+role+".wasm", "/release/"+n.Lib+".wasm",
	).Replace(string(text)))
}

// assemblyScriptText: the package of npm.
func assemblyScriptText(role, file string, text []byte, n names, sdk string) []byte {
	s := strings.ReplaceAll(string(text), "../../../sdk-assemblyscript", sdk)
	if file == "package.json" {
		s = strings.Replace(s, `"name": "`+role+`"`, `"name": "`+n.Package+`"`, 1)
	}
	return []byte(s)
}

// cText: C has no name of its own for anything.
func cText(_, _ string, text []byte, _ names, sdk string) []byte {
	return []byte(strings.ReplaceAll(string(text), "../../../abi/c", sdk))
}

// quoteMod writes a path as go.mod wants it: in quotes if it has blanks.
func quoteMod(p string) string {
	if strings.ContainsAny(p, " \t\"") {
		return "`" + p + "`"
	}
	return p
}

// quoteTOML writes a path as Cargo.toml wants it.
func quoteTOML(p string) string { return `"` + escapeJSON(p) + `"` }

// escapeJSON returns a path in the form that it has between the quotes of a JSON string.
func escapeJSON(p string) string {
	b, _ := json.Marshal(p) // always encodes
	return string(b[1 : len(b)-1])
}
