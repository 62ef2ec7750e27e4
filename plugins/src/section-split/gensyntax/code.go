package main

type form struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after"`
	Holds  bool   `json:"holds,omitempty"`
	Direct bool   `json:"direct,omitempty"`
}

type declarations struct {
	Forms  []form      `json:"forms"`
	Joins  string      `json:"joins"`
	Closes string      `json:"closes"`
	Skips  string      `json:"skips"`
	Leads  string      `json:"leads"`
	Opaque [][2]string `json:"opaque"`
}

// Declarations of code. The forms are those of all languages, because the type is code in
// each of them. A call looks like a method without a keyword, so that form is only for
// declarations directly in a type.
const (
	modifiers  = `(?:@?[a-z]+(?:\([^()\n]*\)| "[^"\n]*")? +)*` // pub(crate), extern "C", @Volatile
	qualifiers = `(?:[\w$]+(?:::|\.))*`                        // of a name: A::, a.

	typeBefore   = modifiers + `(?:class|struct|interface|trait|enum) +(?:[A-Z_0-9]+ +)?` + qualifiers
	moduleBefore = modifiers + `(?:type|module|object|namespace|record|protocol|extension|mod) +` + qualifiers
	typeAfter    = `[ \t\r]*(?:[\n{(<:\[;=]|(?:extends|implements|where|with|final|permits|requires|is)\W)`

	implBefore = `(?:unsafe +|default +)*impl(?:<[^\n{}]*>)? +(?:[^\n{}]* for +)?&?(?:mut +|dyn +)?` + qualifiers
	implAfter  = `(?:<[^\n{}]*>)?\s*(?:\{|where\W)`

	valueBefore = `(?:export +|default +|declare +)*(?:const|let|var) +` // const A = class {, const a = {
	valueAfter  = ` *=\s*(?:class\W|\{)`

	functionBefore = modifiers + `(?:def|fn|fun|func|function|sub)\*? +&?(?:<[^\n;{}]*> *)?` + qualifiers
	functionAfter  = `[ \t\r]*[\n<(\[;=:]`

	memberBefore  = `(?:[\w$@<>\[\],.?:&*# ]*[ &*#>])?` // types and modifiers
	arguments     = `\(\s*(?:[^;\n]|[,(]\s*\n|\n\s*\))*\)`
	memberAfter   = `(?:<[^\n;{}]*>)?\?? *` + arguments + `(?:[^;{}()=\n]|,\s*\n)*(?:=[^;\n]*)?(?:;|\{|\n\s*\{|\n\s*:)`
	propertyAfter = `[?!]?(?: *: *[^=\n;]+)? *[=:] *(?:async *)?(?:function\W|[\w$]+ *=>|\([^;\n]*=>)` // a = () =>
	accessorAfter = `\s*\{\s*(?:(?:public|protected|private|internal) )*(?:get|set|init)\W`            // A { get; }
)

var members = &declarations{
	Forms: []form{
		{Before: typeBefore, After: typeAfter, Holds: true},
		{Before: moduleBefore, After: typeAfter, Holds: true},
		{Before: implBefore, After: implAfter, Holds: true},
		{Before: valueBefore, After: valueAfter, Holds: true},
		{Before: functionBefore, After: functionAfter},
		{Before: memberBefore, After: memberAfter, Direct: true},
		{Before: memberBefore, After: propertyAfter, Direct: true},
		{Before: memberBefore, After: accessorAfter, Direct: true},
	},
	Joins:  `[)\]{]|\}[;,)\]} \t]*(?:[\r\n]|//|/\*|#|else|catch|finally|while|\(|=>|\.|as )|end[\s.;]|(?:rescue|ensure|else|elsif|except|finally|where)\W`,
	Closes: `\}`,
	Skips:  `//|/\*|\*[/ \n\r]|--|#|(?:public|private|protected|signals|slots)(?: slots)?:[ \t\r]*\n`,
	Leads:  `@|\[|//|#\W|/\*|\*[/ \n\r]|template *<[^\n]*>[ \t\r]*\n`,
	Opaque: [][2]string{{`"""`, `"""`}, {`'''`, `'''`}, {"/*", "*/"}, {"`", "`"}, {"=begin", "=end"}},
}
