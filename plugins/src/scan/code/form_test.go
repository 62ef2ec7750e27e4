package code

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// A program is known by its form if its words do not tell the language: calls and assignments in nested brackets.
func TestForm(t *testing.T) {
	for rule, c := range map[string]struct {
		text string
		want bool
	}{
		"calls of a library of tests":               {strings.Repeat("suite( \"menu\", {\n\tdefaults: {\n\t\tlabel: null,\n\t\tsize: 3\n\t},\n\topen( 1 );\n\tclose( 2 );\n} );\n", 3), true},
		"data in an object":                         {"(function( a, undefined ) {\n\nvar b;\n\nif ( typeof require !== \"undefined\" ) {\n\tb = require( \"c\" );\n} else {\n\tb = a.b;\n}\n\nb.add( \"ja\", \"default\", {\n" + strings.Repeat("\tname: \"x\",\n\tdays: [ 1, 2 ],\n\tper: {\n\t\tpattern: [ 1 ],\n\t\tsize: 2\n\t},\n", 4) + "});\n\n}( this ));\n", true},
		"a style sheet of variables":                {":root {\n" + strings.Repeat("  --a-b: #fff;\n  --a-c: var(--a-b);\n", 9) + "}\n", true},
		"a build script":                            {"plugins {\n  id(\"java\")\n  alias(libs.b)\n}\n\n" + strings.Repeat("publishing {\n  publications {\n    create(\"a\") {\n      from(b[\"c\"])\n    }\n  }\n}\n", 3), true},
		"PHP with a page below it":                  {"<?php\ninclude 'a.php';\n?>\n" + strings.Repeat("<p class=\"b\">\n  text of the page\n</p>\n", 9), true},
		"properties without a semicolon at the end": {strings.Repeat(".a {\n  .b, c {\n    background-color: #fff\n  }\n  d {\n    color: red;\n    font-weight: bold\n  }\n}\n", 4), true},
		"methods of Objective-C":                    {"#import <A/A.h>\n\n@protocol B, C;\n\n@interface D (E)\n\n+ (id <B>)f;\n" + strings.Repeat("- (void)setG:(D *)g;\n- (void)h:(int)i\n        j:(int)k;\n", 4) + "@property (nonatomic) id <B> l;\n@end\n", true},
		"blocks that end with words":                {strings.Repeat("def b(c)\n"+strings.Repeat("  d.e(c)\n  d.f(c)\n  d.g(c)\n  @d % c\n", 3)+"end\n\n", 9), true},
		"JSON cut off":                              {"{\n" + strings.Repeat("  \"a\": {\n    \"b\": [1, 2],\n    \"c\": \"f(x)\"\n  },\n", 9), false},
		"settings in braces":                        {strings.Repeat("upstream a {\n  server b:80;\n  keepalive 3;\n}\n", 9), false},
		"messages in brackets":                      {strings.Repeat("[a] started (1)\n[b] stopped (2)\n", 20), false},
		"templates":                                 {strings.Repeat("{{ if .A }}\n{{ .B }}\n{{ end }}\n", 20), false},
		"rows with commas":                          {strings.Repeat("1, 2, (3),\n4, 5,\n", 20), false},
		"sentences":                                 {strings.Repeat("This sentence ends (here);\nso does this one (f(x));\n", 20), false},
	} {
		if _, ok := Scan([]byte(c.text), part.Clues{}); ok != c.want {
			t.Errorf("%s: code %t, want %t", rule, ok, c.want)
		}
	}
}

// The first statement tells the language of a text in which tags and members of types are most lines.
func TestTagsAndMembers(t *testing.T) {
	for rule, text := range map[string]string{
		"tags":    "import a from 'b';\nimport { c } from 'd';\n\nexport default function E() {\n  const f = c();\n  return (\n" + strings.Repeat("    <div a=\"b\">\n      <p>{f}</p>\n    </div>\n", 4) + "  );\n}\n",
		"members": "import type { A } from 'b'\n\nexport interface C {\n" + strings.Repeat("  d: string\n  e?: A[]\n", 9) + "}\n\nexport type F = A | C\n\nfunction g(a: A) {\n  return a.b({\n    c\n  })\n}\n",
	} {
		if _, ok := Scan([]byte(text), part.Clues{}); !ok {
			t.Errorf("%s: not code", rule)
		}
	}
}
