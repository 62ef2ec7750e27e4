package hcl

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan, Between: isStructure}

func newList(text []byte) *items.List { return items.New(text) }

func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule, file, text string
		want             string // "" for a text that is refused
	}{
		{"Terraform", "", "variable \"region\" {\n  type    = string\n  default = \"eu\"\n}\n\n# the web server\nresource \"aws_instance\" \"web\" {\n  ami = data.aws_ami.a.id\n  tags = {\n    Name = \"web\" # here\n    \"k8s/x\" : 1,\n  }\n  ebs_block_device {\n    size = 10\n  }\n  ebs_block_device {}\n}\nlocals { a = 1 }\n", `
variable.region | var.region: type=string, default="eu"
 type | type: string
 default | default: "eu"
resource.aws_instance.web | aws_instance.web: ebs_block_device 2, ami=data.aws_ami.a.id, tags
 ami | ami: data.aws_ami.a.id
 tags | tags: Name="web", k8s/x=1
  Name | Name: "web"
  k8s/x | k8s/x: 1
 ebs_block_device | ebs_block_device: size=10
  size | size: 10
 ebs_block_device | ebs_block_device: empty
locals | local: a=1
 a | a: 1`},
		{"a block in a heredoc is text", "", "resource \"a\" \"b\" {\n  x = <<-EOF\n    resource \"c\" \"d\" {\n      y = 1\n    }\n    EOF\n  z = jsonencode(<<E\nEOF\n}\nE\n  )\n}\n", `
resource.a.b | a.b: x=<<-EOF resource "c" "d" {..., z=jsonencode(<<E EOF } E )
 x | x: <<-EOF resource "c" "d" { y = 1 } EOF
 z | z: jsonencode(<<E EOF } E )`},
		{"strings with templates", "a.tf", "a = \"}${b[\"}\"]}{\"\nc = \"$${\"\nd = \"%{ if x }y{%{ endif }\"\ne = [\n  \"]\",\n]\n", `
a | a: "}${b["}"]}{"
c | c: "$${"
d | d: "%{ if x }y{%{ endif }"
e | e: [ "]", ]`},
		{"comments", "a.tf", "/* a = 1\nb {\n*/\nc = 1 // }\nd { # {\n  e = 2 /* } */\n}\n", `
c | c: 1
d | d: e=2 /* } */
 e | e: 2 /* } */`},
		{"for is no object", "a.tf", "a = { for k, v in x : k => v }\nb = {\n  for k in y : k => {\n    c = 1\n  }\n}\n", `
a | a: { for k, v in x : k => v }
b | b: { for k in y : k => { c = 1 } }`},
		{"an operator after an object", "a.tf", "a = {\n  b = 1\n}.b\nc = x == y ? {} : {\n  d = 1\n}\n", `
a | a: b=1
 b | b: 1
c | c: x == y ? {} : { d = 1 }`},
		{"a block in an object, as in HCL 1", "", "a \"b\" {\n  c = {\n    d = 1\n    e {\n      f \"g\" {\n        h = 2\n      }\n    }\n  }\n}\n", `
a.b | a.b: c
 c | c: e, d=1
  d | d: 1
  e | e: f.g
   f.g | f.g: h=2
    h | h: 2`},
		{"keys of objects", "a.tf", "a = { (b.c) = 1, 2 = 3, d : 4 }\n", `
a | a: (b.c)=1, 2=3, d=4
 (b.c) | (b.c): 1
 2 | 2: 3
 d | d: 4`},
		{"CRLF", "", "resource \"a\" \"b\" {\r\n  x = <<E\r\n}\r\nE\r\n  y = 1\r\n}\r\n", `
resource.a.b | a.b: x=<<E } E, y=1
 x | x: <<E } E
 y | y: 1`},
		{"CR", "", "resource \"a\" \"b\" {\r  x = <<E\r}\rE\r  y = 1\r}\r", `
resource.a.b | a.b: x=<<E } E, y=1
 x | x: <<E } E
 y | y: 1`},
		{"other languages of HCL", "", "job \"web\" {\n  group \"g\" {\n    task t {}\n  }\n}\n", `
job.web | job.web: group.g
 group.g | group.g: task.t
  task.t | task.t: empty`},
		{"addresses", "", "data \"a\" \"b\" {}\nmodule \"c\" {}\nprovider \"d\" {}\noutput \"e\" {}\nterraform {}\n", `
data.a.b | data.a.b: empty
module.c | module.c: empty
provider.d | provider.d: empty
output.e | output.e: empty
terraform | terraform: empty`},
		{"variables of a file", "a.tfvars", "a = 1\nb = [2]\n", "\na | a: 1\nb | b: [2]"},
		{"a file that is cut off", "a.tf", "a \"b\" {\n  c = 1\n  d = [1,\n", `
a.b | a.b: c=1, d=[1,
 c | c: 1
 d | d: [1,`},
		{"assignments without a name", "", "a = 1\nb = [2]\nc = 3\n", ""},
		{"a text that is cut off", "", "a \"b\" {\n  c = 1\n  d = 2\n", ""},
		{"nginx", "", "server {\n  listen 80;\n  location / {\n    root /x;\n  }\n}\n", ""},
		{"CSS", "", "body {\n  color: red;\n}\np {\n  margin: 0;\n}\n", ""},
		{"Go", "", "type x struct {\n\ta int\n}\n", ""},
		{"Protocol Buffers", "", "message A {\n  string a = 1;\n}\n", ""},
		{"GraphQL", "", "type A {\n  id: ID!\n  b: B\n}\n", ""},
		{"blocks without labels in quotes", "", "a {\n  b = 1\n  c = 2\n}\n", ""},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{File: c.file}, c.want)
	}
}

// structure matches comments, the beginnings of blocks and objects, and the marks that close
// them.
var structure = regexp.MustCompile(`^(?:\s|#[^\r\n]*|//[^\r\n]*|(?s:/\*.*?\*/)|\}\.b|[}\]),]|(?:[\w."\-]+|\([^\r\n]*?\))[^={\r\n]*[=:]?\s*\{)*$`)

func isStructure(gap []byte) bool { return structure.Match(gap) }

func TestCommentsBelongToWhatFollows(t *testing.T) {
	const text = "# of a\n\n# of a\na \"b\" {\n  // of c\n  c = 1\n\n  # end\n}\n/* of d */ d \"e\" {\n}\n# end\n"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	for i, want := range []string{"# of a\n\n# of a\na \"b\" {\n  // of c\n  c = 1\n\n  # end\n}\n", "  // of c\n  c = 1\n\n  # end\n", "/* of d */ d \"e\" {\n}\n# end\n"} {
		if p := d.Parts[i]; text[p.Start:p.End] != want {
			t.Errorf("part %d is %q, want %q", i, text[p.Start:p.End], want)
		}
	}
}

// Many blocks are grouped by their type and first label.
func TestGroups(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "resource \"%s\" \"n%d\" {}\n", []string{"aws_a", "aws_b", "gcp_c"}[i%3], i)
	}
	text.WriteString("output \"o\" {}\n")
	d, ok := Scan([]byte(text.String()), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, []byte(text.String()), d, nil)
	list := parttest.List(d)
	if want := "resource.aws_a | 10 blocks: n0, n3, n6, n9, n12, n15, n18, n21, n24, n27"; list[0] != want || d.By != "type" || d.Count != "31 blocks" {
		t.Errorf("%s by %s: %q, want %q", d.Count, d.By, list[0], want)
	}
	if last := list[len(list)-1]; last != "output.o | output.o: empty" {
		t.Errorf("the block that is alone: %q", last)
	}
}

// writer writes random HCL.
type writer struct {
	strings.Builder
	rnd *rand.Rand
}

var expressions = []string{
	"1", "-2.5", "true", `"text"`, `"a \" ] b"`, `"x${y["k"]}z"`, `"${a ? "}" : "{"}"`, `"$${no}"`, "[1, 2]", "[\n  \"a]\", # c\n  { b = 1 },\n]",
	"{ for k, v in m : k => v if v != \"}\" }", "{\n  a = 1\n  \"b\" : [2]\n  (c) = { d = 3 }\n}", "{}", "f(x,\n  y)", "a.b[0].c", "a == b ? 1 : 2",
	"<<EOT\n}\nresource \"x\" \"y\" {\nEOT", "<<-E1\n    a ${b}\n\n  E1", "{ a = 1 }.a", "\"%{ if a }x%{ endif }\"", "x /* } */ + 1", "!a && b", "[for x in y : x]", "{ a = 1, b = 2 }",
}

func (w *writer) body(depth int) {
	indent := strings.Repeat("  ", depth)
	for i := range 1 + w.rnd.IntN(4) {
		switch w.rnd.IntN(8) {
		case 0:
			w.WriteString(indent + "# a comment { \"\n\n")
		case 1:
			w.WriteString(indent + "/* b = {\n*/\n")
		case 2:
			w.WriteString(indent + "// c\n")
		}
		if depth < 3 && w.rnd.IntN(3) == 0 {
			fmt.Fprintf(w, "%sblock%d %s{\n", indent, w.rnd.IntN(3), []string{"", "\"a\" ", "b \"c-d\" ", "\"e f\" "}[w.rnd.IntN(4)])
			w.body(depth + 1)
			w.WriteString(indent + "}\n")
			continue
		}
		fmt.Fprintf(w, "%sattr_%d = %s\n", indent, i, expressions[w.rnd.IntN(len(expressions))])
	}
}

// The parts of random HCL cover it, also if it is cut off anywhere.
func TestCutAnywhere(t *testing.T) {
	for seed := range uint64(60) {
		w := &writer{rnd: rand.New(rand.NewPCG(seed, 4))}
		w.body(0)
		text := w.String()
		for end := 1; end <= len(text); end += 1 + w.rnd.IntN(9) {
			if d, ok := Scan([]byte(text[:end]), parttest.Forced); ok {
				parttest.Check(t, []byte(text[:end]), d, func([]byte) bool { return true })
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range append(expressions, "a \"b\" {\n c = 1\n}\n", "a = <<E\nE\nb {", "a = \"${\"", "}\n,\n(", "a = {(b)=1,\n}}\n/*", "\"a\" = 1\r\nb : 2") {
		f.Add([]byte("x = " + text + "\ny \"z\" {\n" + text + "\n}\n"))
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		Opens(b)
		for _, clues := range []part.Clues{{}, {File: "a.tf"}, parttest.Forced} {
			if d, ok := Scan(b, clues); ok {
				parttest.Check(t, b, d, func([]byte) bool { return true })
			}
		}
	})
}

// Hostile texts take linear time: the scanner reads 512 KB.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"a {", "a = {", "a = <<E\n", "a = [", "\"${", "a = \"${", "/*", "a = { /*", "b \"c\" ", "}\n", "{ for ", "a=1\n", "<<a\n<<b\n", "((", "a = {\nb = <<"} {
		text := []byte(strings.Repeat(piece, 1<<19/len(piece)))
		if d, ok := Scan(text, parttest.Forced); ok {
			parttest.NameFirst(d)
		}
	}
}
