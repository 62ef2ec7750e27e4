package docker

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
		{"stages", "", "# syntax=docker/dockerfile:1\nARG GO=1.24\nARG \\\n  OS=alpine\n\n# builds\nFROM --platform=$BUILDPLATFORM golang:${GO} AS build\nENV CGO_ENABLED=0 A=b\nRUN go build \\\n    # a comment\n\n    -o /x \\\n    .\nRUN true\n\nFROM alpine\nCOPY --from=build /x /x\n", `
ARG | 2 arguments: GO, OS
 ARG=GO | ARG GO=1.24
 ARG=OS | ARG OS=alpine
build | stage build: from golang:${GO}, RUN 2, ENV
 FROM | FROM --platform=$BUILDPLATFORM golang:${GO} AS build
 ENV=CGO_ENABLED | ENV CGO_ENABLED=0 A=b
 RUN | RUN go build -o /x .
 RUN | RUN true
stage-1 | stage 1: from alpine, COPY
 FROM | FROM alpine
 COPY | COPY --from=build /x /x`},
		{"one stage", "", "ARG A\nFROM b\nRUN c\n", "\nARG=A | ARG A\nFROM | FROM b\nRUN | RUN c"},
		{"an instruction in a heredoc is text", "", "FROM a\nRUN <<EOF cat > /x <<-'END'\nFROM b\n  EOF\nEOF\nFROM c\n\tEND\nCMD d\n", `
FROM | FROM a
RUN | RUN <<EOF cat > /x <<-'END' FROM b EOF EOF FROM c END
CMD | CMD d`},
		{"what is no heredoc", "", "FROM a\nRUN echo $((1<<EOF)) x<<EOF <<<EOF\nRUN cat <<EOF\nCMD <<EOF\n", `
FROM | FROM a
RUN | RUN echo $((1<<EOF)) x<<EOF <<<EOF
RUN | RUN cat <<EOF
CMD | CMD <<EOF`},
		{"keywords in any case", "", "from a as B\nrun b\nlabel \"x.y\"=\"z\"\n", "\nFROM | FROM a as B\nRUN | RUN b\nLABEL=x.y | LABEL \"x.y\"=\"z\""},
		{"another escape character", "", "# escape=`\nFROM a\nRUN dir C:\\\nRUN b `\n  c\n", "\nFROM | FROM a\nRUN | RUN dir C:\\\nRUN | RUN b c"},
		{"an escape character below another comment", "", "# about\n# escape=`\nFROM a\nRUN b \\\n  c\nCMD d\n", "\nFROM | FROM a\nRUN | RUN b c\nCMD | CMD d"},
		{"the last line continues", "", "FROM a\nRUN b\nRUN c \\\n\n", "\nFROM | FROM a\nRUN | RUN b\nRUN | RUN c"},
		{"CRLF", "", "FROM a\r\nRUN b \\\r\n  c\r\nRUN <<E\r\nFROM x\r\nE\r\n", "\nFROM | FROM a\nRUN | RUN b c\nRUN | RUN <<E FROM x E"},
		{"CR", "", "FROM a\rRUN b \\\r  c\rCMD d\r", "\nFROM | FROM a\nRUN | RUN b c\nCMD | CMD d"},
		{"a short file with a name", "x/Dockerfile.dev", "FROM a\n", "\nFROM | FROM a"},
		{"a short text", "", "FROM a\nRUN b\n", ""},
		{"no stage", "Dockerfile", "RUN a\nRUN b\nRUN c\n", ""},
		{"prose", "", "From the start\nRun to the end\nAdd it all\nThen stop.\n", ""},
		{"Python", "", "from a import b\nfrom c import d\nfrom e import f\n", ""},
		{"SQL", "", "from a\nwhere b\nlimit c\n", ""},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{File: c.file}, c.want)
	}
}

// The comments above a stage or an instruction are part of it.
func TestCommentsBelongToWhatFollows(t *testing.T) {
	const text = "# of FROM\nFROM a AS b\n\n# of RUN\n\n# too\nRUN c\n# of d\nFROM d\n# end\n"
	d, ok := Scan([]byte(text), part.Clues{File: "Dockerfile"})
	if !ok {
		t.Fatal("refused")
	}
	for i, want := range []string{"# of FROM\nFROM a AS b\n\n# of RUN\n\n# too\nRUN c\n", "# of FROM\nFROM a AS b\n", "# of RUN\n\n# too\nRUN c\n", "# of d\nFROM d\n# end\n"} {
		if p := d.Parts[i]; text[p.Start:p.End] != want {
			t.Errorf("part %d is %q, want %q", i, text[p.Start:p.End], want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"ARG A\nFROM a AS b\nRUN <<E <<-\"F\"\nE\n\tF\nFROM c\n", "# escape=`\nFROM a `\n\n# b\n", "FROM a\nRUN b \\", "FROM a\rRUN b\\\r#c\r", "from\t<<x\nadd <<", "\ufeffFROM é AS ü\nENV é=ü\nLABEL \"a\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		Opens(b)
		for _, clues := range []part.Clues{{}, {File: "Dockerfile"}, parttest.Forced} {
			if d, ok := Scan(b, clues); ok {
				parttest.Check(t, b, d, nil)
			}
		}
	})
}

// Hostile texts take linear time: the scanner reads 512 KB.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"FROM a\n", "RUN <<A\n", "RUN <<A <<B", "ARG a\n", "RUN a \\\n", "RUN a \\\n#b\n\n", "FROM a\nADD <<\"", "#\n", "FROM a\r"} {
		text := []byte(strings.Repeat(piece, 1<<19/len(piece)))
		if d, ok := Scan(text, parttest.Forced); ok {
			parttest.NameFirst(d)
		}
	}
}
