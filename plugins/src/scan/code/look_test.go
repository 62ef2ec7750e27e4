package code

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const prose = "import duties rose again last year, and the return of trade was slow.\nif nothing changes, for a while at least, we wait.\nfunction follows form, they say;\nclass sizes are small, and type is set by hand.\n"

func TestNotCode(t *testing.T) {
	for rule, text := range map[string]string{
		"prose with keywords at line starts": prose,
		"Markdown":                           "# Use\n\nTo use it import the module:\n\n- `def f(x)` does it\n- `class A` holds it\n\n" + prose,
		"YAML":                               "import:\n  - a\nclass: B\nif: true\nfor:\n  name: x\n  type: string\nreturn: 1\ndefault: 2\nfunc: f\n",
		"YAML of a workflow":                 "name: ci\non: [push]\njobs:\n  build:\n    runs-on: ubuntu\n    steps:\n      - run: |\n          if [ -f x ]; then\n            echo y\n          fi\n      - uses: a/b@v1\n",
		"JSON with comments":                 "{\n  // one\n  \"import\": \"x\",\n  \"function\": {\n    \"type\": \"y\", /* z */\n  },\n}\n",
		"CSV":                                "type,class,def\nimport,1,2\nreturn,3,4\nfunction,5,6\nclass,7,8\n",
		"INI":                                "[function]\nclass = A\ntype = b\nimport = c\n[class]\nvar = d\nlet = e\n",
		"TOML":                               "[package]\nname = \"a\"\nversion = \"1\"\n[dependencies]\nx = { version = \"1\", features = [\"y\"] }\n[[bin]]\nname = \"b\"\n",
		"nginx":                              "server {\n  listen 80;\n  location / {\n    return 301 https://$host$request_uri;\n  }\n  if ($x) {\n    set $y 1;\n  }\n}\n",
		"HCL":                                "variable \"a\" {\n  type = string\n  default = \"x\"\n}\nresource \"b\" \"c\" {\n  count = 1\n  for_each = var.a\n}\n",
		"log":                                "error: cannot open file\nerror: cannot open file\ntest a passed\ntest b passed\nwarning: x\nimport done\n",
		"access log":                         "127.0.0.1 - - [21/Nov/2026:08:15:00 +0000] \"GET /function.php?class=a; HTTP/1.1\" 200 12\n",
		"stack trace":                        "Exception in thread \"main\" java.lang.Error: x\n\tat a.b.C.d(C.java:12)\n\tat a.b.C.main(C.java:5)\nCaused by: y\n\tat a.b.E.f(E.java:1)\n",
		"listing":                            "total 8\ndrwxr-xr-x 2 root root 4096 Nov 21 08:00 class\n-rw-r--r-- 1 root root  120 Nov 21 08:00 import\n",
		"environment":                        "PATH=/usr/bin:/bin\nHOME=/home/a\nSHELL=/bin/sh\nexport=1\nset=2\nlocal=3\n",
		"dialogue":                           "Alice: if you go, return soon.\nBob: for what? import what?\nAlice: class is over.\n",
		"HTML":                               "<html><script>\nfunction a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}\n</script></html>\n",
		"diff":                               "diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n func a() {\n-\treturn 1\n+\treturn 2\n }\n",
		"search results":                     "a.go:12:func A() {\na.go:13:\treturn 1\nb.go:9:func B() {\nb.go:10:\treturn 2\n",
		"table":                              "| name | type |\n|------|------|\n| a | function |\n| b | class |\n",
		"SQL client":                         " id | name \n----+------\n  1 | select\n  2 | insert\n(2 rows)\n",
		"words":                              "class\nimport\nreturn\nfunction\ndef\nstruct\n",
	} {
		for _, text := range []string{text, strings.Repeat(text, 30)} {
			if d, ok := Scan([]byte(text), part.Clues{}); ok {
				t.Errorf("%s is recognized as code: %s, %s", rule, d.Count, d.Lines[0])
			}
		}
	}
}

// A program without line ends is one part, or a few.
func TestDenseCode(t *testing.T) {
	for rule, c := range map[string]struct{ text, want string }{
		"JavaScript":      {"!function(e,t){" + strings.Repeat("var n=e(t);return n.x?function(){return 1}:n;", 90) + "}();", "1 line, language: javascript"},
		"a style sheet":   {"/*! a */" + strings.Repeat(".a,.b>c{color:#fff;margin:0 auto}.d:hover{background:url(e.png)}", 90), "1 line, language: css"},
		"prose":           {strings.Repeat("It is late; we return, if we may. ", 200), ""},
		"encoded bytes":   {strings.Repeat("QUJDRA;;x{}", 500), ""},
		"a query":         {strings.Repeat("a=1&b=return;c=%7B%7D&", 400), ""},
		"values":          {strings.Repeat("1;2;3;{4};", 600), ""},
		"JSON cut off":    {`{"a":[` + strings.Repeat(`{"if":"return 1;","var":"x"},`, 200), ""},
		"pasted messages": {strings.Repeat("error: return of {0}; if not found; ", 200), ""},
	} {
		got := ""
		if d, ok := Scan([]byte(c.text), part.Clues{}); ok {
			got = d.Count + ", " + d.Lines[0]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", rule, got, c.want)
		}
	}
}

func TestLanguageWithoutFileName(t *testing.T) {
	for want, text := range map[string]string{
		"go":         "package a\n\nimport \"fmt\"\n\n// F is.\nfunc F(x int) error {\n\tif x > 1 {\n\t\treturn fmt.Errorf(\"x\")\n\t}\n\treturn nil\n}\n",
		"python":     "import os\n\ndef f(x):\n    if x:\n        return os.path\n    return None\n\nclass A:\n    def g(self):\n        return 1\n",
		"javascript": "import a from 'b';\n\nexport function f(x) {\n  const y = x.map((z) => z + 1);\n  return y;\n}\n\nexport default f;\n",
		"java":       "package a.b;\n\nimport java.util.List;\n\npublic class A {\n    private int x;\n\n    @Override\n    public int f() {\n        return x;\n    }\n}\n",
		"c":          "#include <stdio.h>\n\nstatic int f(int x)\n{\n\tif (x)\n\t\treturn 1;\n\treturn 0;\n}\n",
		"c#":         "using System;\n\nnamespace A\n{\n    public class B\n    {\n        public string C { get; set; }\n        public void D()\n        {\n            return;\n        }\n    }\n}\n",
		"rust":       "use std::fmt;\n\npub struct A {\n    x: u8,\n}\n\nimpl A {\n    pub fn f(&self) -> u8 {\n        let mut y = self.x;\n        y\n    }\n}\n",
		"ruby":       "require 'a'\n\nclass A < B\n  attr_reader :x\n\n  def f(y)\n    return y if x\n  end\nend\n",
		"shell":      "#!/bin/sh\nset -e\nf() {\n  if [ -f \"$1\" ]; then\n    echo \"$1\"\n  fi\n}\nf \"$@\"\n",
		"sql":        "CREATE TABLE a (\n  id int NOT NULL,\n  name text\n);\n\nINSERT INTO a VALUES (1, 'x');\nINSERT INTO a VALUES (2, 'y');\nSELECT * FROM a;\n",
		"lua":        "local a = require 'b'\n\nlocal function f(x)\n  if x then\n    return a.y\n  end\nend\n\nreturn f\n",
		"css":        "body {\n  margin: 0;\n  color: red;\n}\n\n.a:hover, .b > c {\n  padding: 1px 2px;\n  display: none;\n}\n",
		"php":        "<?php\nnamespace A;\n\nuse B;\n\nclass C\n{\n    public function d($x)\n    {\n        return $this->e($x);\n    }\n}\n",
		"protobuf":   "syntax = \"proto3\";\n\npackage a;\n\nmessage B {\n  string x = 1;\n  repeated int32 y = 2;\n}\n",
	} {
		d, ok := Scan([]byte(text), part.Clues{})
		if !ok || strings.TrimPrefix(strings.Split(d.Lines[0], ",")[0], "language: ") != want {
			t.Errorf("%s: %t, %v", want, ok, d)
		}
	}
}
