package makefile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule, file, text string
		want             string // "" for a text that is refused
	}{
		{"rules and variables", "", "# about\nCC := gcc\nCFLAGS += -O2 \\\n  -g # fast\ninclude a.mk\n\n.PHONY: all\nall: a b ## builds all\n\na: a.c\n\t$(CC) -o $@ \\\n\t  $<\n\n\t# done\n\nb c:; touch $@\nd:\n\ttrue\nX=1\n", `
variables | 2 variables, 1 directive: CC, CFLAGS
 CC | CC := gcc
 CFLAGS | CFLAGS += -O2 -g # fast
 include | include a.mk
all | all: a b ## builds all, no recipe
a | a: a.c, 2 recipe lines
b | b c:; touch $@, 1 recipe line
d | d, 1 recipe line
X | X=1`},
		{"a target in a recipe or definition is text", "", "define RUN\na: b\n\tc = 1\nendef\na:\n\tb: c\n\t$(RUN)\nc:\n\td\n", `
RUN | define RUN, 2 lines
a | a, 2 recipe lines
c | c, 1 recipe line`},
		{"conditionals", "Makefile", "ifdef A\n# of b\nb: c\n\td\nifeq ($(X),1)\n\te\nelse\n\tf\nendif\nelse\nB = 1\nendif\ng:\n\th\n", `
b | b: c, 3 recipe lines, ifdef A
B | B = 1, ifdef A
g | g, 1 recipe line`},
		{"operators", "a.mk", "A ?= 1\nB != ls\nC ::= $(x:a=b)\nD = a:b\n$(E): a=b\nF$(G)::\n\tH\nexport I = 1\noverride J := 2\nexport K\n$(eval $(call L,1)) # call\nm: N = 1\n%.o: %.c\n", `
variables | 4 variables: A, B, C, D
 A | A ?= 1
 B | B != ls
 C | C ::= $(x:a=b)
 D | D = a:b
$(E) | $(E): a=b, no recipe
F$(G) | F$(G), 1 recipe line
variables | 2 variables, 2 directives: I, J
 I | export I = 1
 J | override J := 2
 export | export K
  | $(eval $(call L,1)) # call
m | m: N = 1, no recipe
%.o | %.o: %.c, no recipe`},
		{"lists of phony targets", "Makefile", "PHONY += a\na:\n\tb\nPHONY += c\nc: d\n", "\na | a, 1 recipe line\nc | c: d, no recipe"},
		{"Automake", "Makefile.am", "if A\nB = 1\nelse\nB = 2\nendif\n", "\nvariables | 2 variables: B\n B | B = 1, if A\n B | B = 2, if A"},
		{"CRLF", "", "a: $(B)\r\n\tc \\\r\n\td\r\n\te\r\nf:\r\n\tg\r\n", "\na | a: $(B), 2 recipe lines\nf | f, 1 recipe line"},
		{"CR", "", "a: $(B)\r\tc $@\rf:\r\tg\r", "\na | a: $(B), 1 recipe line\nf | f, 1 recipe line"},
		{"no rules without a name", "", "A = 1\nB = $(A)\nC = 2\n", ""},
		{"one rule without a name", "", "a: b\n\tc $@\n", ""},
		{"rules without variables", "", "a:\n\tb\nc:\n\td\n", ""},
		{"Python", "", "class A:\n\tx = '$(1)'\nif a:\n\tb()\ndef f(x):\n\treturn x\n", ""},
		{"YAML", "", "a:\n  b: $(C)\nd:\n  e: 1\n", ""},
		{"shell", "", "A=$(ls)\nif [ -n \"$A\" ]; then\n\techo $A\nfi\n", ""},
		{"prose", "Makefile", "This is a text.\nIt has two lines, and this one.\n", ""},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{File: c.file}, c.want)
	}
}

// Comments, conditionals and special targets above an item are part of it.
func TestLinesBelongToWhatFollows(t *testing.T) {
	const text = "# of a\n\nifdef X\na:\n\tb\n# of c\n.PHONY: c\nc:\n\td\nendif\n\nE = 1\n# of F\nF = 2\n# end\n"
	d, ok := Scan([]byte(text), part.Clues{File: "Makefile"})
	if !ok {
		t.Fatal("refused")
	}
	for i, want := range []string{"# of a\n\nifdef X\na:\n\tb\n", "# of c\n.PHONY: c\nc:\n\td\nendif\n", "", "E = 1\n", "# of F\nF = 2\n# end\n"} {
		if p := d.Parts[i]; text[p.Start:p.End] != want {
			t.Errorf("part %d is %q, want %q", i, text[p.Start:p.End], want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"a: b\n\tc $@\nifdef X\n\td\nendif\ne:\n\tf\n", "define A\ndefine B\nendef\n", "A = 1\\\n2\nB=\n.PHONY: c\nendif\n", "a:\rb=c\r\td", "if A\nB = 1\nendif\nelse\n", "é: ü\n\t$(é)\nexport\n$(\n{}\n", ":\n=\n::=\nC:\\x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		Opens(b)
		for _, clues := range []part.Clues{{}, {File: "Makefile"}, parttest.Forced} {
			if d, ok := Scan(b, clues); ok {
				parttest.Check(t, b, d, nil)
			}
		}
	})
}

// Hostile texts take linear time: the scanner reads 512 KB.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"a:\n", "a:\n\tb\n", "A=1\n", "A=1\\\n", "define A\n", "ifdef A\n", "ifdef A\nB=1\n", "else\n", "$(", "(", "a: \\\n", "if A\nendif\n", "export "} {
		text := []byte(strings.Repeat(piece, 1<<19/len(piece)))
		if d, ok := Scan(text, parttest.Forced); ok {
			parttest.NameFirst(d)
		}
	}
}
