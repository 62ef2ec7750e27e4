package diff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan}

const hunkText = "@@ -1,3 +1,3 @@ func f() {\n a\n-b\n+c\n d\n"

const hash = "0123456789abcdef0123456789abcdef01234567"

func TestParts(t *testing.T) {
	for _, c := range []struct{ rule, text, lines, want string }{
		{"git", "diff --git a/x/y.go b/x/y.go\nindex 1..2 100644\n--- a/x/y.go\n+++ b/x/y.go\n" + hunkText + "@@ -9 +9,2 @@\n-a\n+b\n+c\n\\ No newline at end of file\n", "2 hunks, +3 -2", `
x/y.go | M +3 -2
 head | diff --git a/x/y.go b/x/y.go index 1..2 100644 --- a/x/y.go +++ b/x/y.go
 L5 | @@ -1,3 +1,3 @@ func f() { +1 -1
 L10 | @@ -9 +9,2 @@ +2 -1`},
		{"hunk lines that look like the start of a file", "--- a.sql\t2026-11-21\n+++ b.sql\t2026-11-21\n@@ -1,2 +1,3 @@\n--- a\n+++ b\n+@@ -1 +1 @@\n x\n", "1 hunk, +2 -1", `
b.sql | M +2 -1
 head | --- a.sql 2026-11-21 +++ b.sql 2026-11-21
 L3 | @@ -1,2 +1,3 @@ +2 -1`},
		{"diff -ru", "Only in a: z\ndiff -ru a/x b/x\n--- a/x\t1\n+++ b/x\t2\n" + hunkText + "Only in b: y\n", "1 hunk, +1 -1", `
text | Only in a: z
x | M +1 -1
 head | diff -ru a/x b/x --- a/x 1 +++ b/x 2
 L5 | @@ -1,3 +1,3 @@ func f() { +1 -1
text | Only in b: y`},
		{"changes of whole files", "diff --git a/n b/n\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n" +
			"diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" +
			"diff --git a/p q b/r s\nsimilarity index 100%\nrename from p q\nrename to r s\n" +
			"diff --git a/sh b/sh\nold mode 100644\nnew mode 100755\n" +
			"diff --git a/i.png b/i.png\nindex 1..2\nBinary files a/i.png and b/i.png differ\n" +
			"diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nindex 1..2\nGIT binary patch\nliteral 3\nKabc\n\nliteral 1\nIab\n", "2 hunks, +1 -1", `
n | A +1 -0
 head | diff --git a/n b/n new file mode 100644 index 0..1 --- /dev/null +++ b/n
 L6 | @@ -0,0 +1 @@ +1 -0
o | D +0 -1
 head | diff --git a/o b/o deleted file mode 100644 --- a/o +++ /dev/null
 L12 | @@ -1 +0,0 @@ +0 -1
r s | R from p q
sh | M mode
i.png | M binary
é | M binary`},
		{"merge", "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,3 -1,3 +1,4 @@@ f\n  a\n- b\n -c\n++d\n+ e\n  g\n", "1 hunk, +2 -2", `
x | M +2 -2
 head | diff --cc x index 1,2..3 --- a/x +++ b/x
 L5 | @@@ -1,3 -1,3 +1,4 @@@ f +2 -2`},
		{"git log -p", "commit " + hash + " (HEAD)\nAuthor: A <a@example.org>\n\n    First of them\n\n    More.\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunkText +
			"\ncommit " + strings.ToUpper(hash[:0]) + hash + "\nMerge: 1 2\n\n    Second\n", "2 commits, 1 hunk, +1 -1", `
0123456789ab | First of them, 1 file +1 -1
 message | First of them More.
 x | M x +1 -1
  head | diff --git a/x b/x --- a/x +++ b/x
  L11 | @@ -1,3 +1,3 @@ func f() { +1 -1
0123456789ab | Second, 0 files +0 -0`},
		{"git format-patch", "From " + hash + " Mon Sep 17 00:00:00 2001\nFrom: A\nSubject: [PATCH 01/12] Do it\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunkText + "-- \n2.43.0\n\n", "1 commit, 1 hunk, +1 -1", `
0123456789ab | Do it, 1 file +1 -1
 message | [PATCH 01/12] Do it --- x | 2 +-
 x | M +1 -1
  head | diff --git a/x b/x --- a/x +++ b/x
  L11 | @@ -1,3 +1,3 @@ func f() { +1 -1
 text | -- 2.43.0`},
		{"subversion", "Index: x\n===================================================================\n--- x\t(revision 1)\n+++ x\t(working copy)\n" + hunkText, "1 hunk, +1 -1", `
x | M +1 -1
 head | Index: x ===================================================================...
 L5 | @@ -1,3 +1,3 @@ func f() { +1 -1`},
		{"truncated hunk", "--- x\n+++ x\n@@ -1,9 +1,9 @@\n a\n-b\nwhat?\n", "1 hunk, +0 -1", `
x | M +0 -1
 head | --- x +++ x
 L3 | @@ -1,9 +1,9 @@ +0 -1
text | what?`},
		{"CRLF and byte order mark", "\ufeffdiff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n" + strings.ReplaceAll(hunkText, "\n", "\r\n"), "1 hunk, +1 -1", `
x | M +1 -1
 head | diff --git a/x b/x --- a/x +++ b/x
 L4 | @@ -1,3 +1,3 @@ func f() { +1 -1`},
	} {
		if d := tested.Names(t, c.rule, c.text, part.Clues{}, c.want); d != nil && d.Lines[0] != c.lines {
			t.Errorf("%s: %s, want %s", c.rule, d.Lines[0], c.lines)
		}
	}
}

func TestTitlesShowPathsUnlessIDsDo(t *testing.T) {
	long := strings.Repeat("deep/", 11) + "x.go"
	many := ""
	for i := range maxBrief + 1 {
		path := "f" + string(rune('a'+i))
		many += "--- a/" + path + "\n+++ b/" + path + "\n" + hunkText
	}
	for _, c := range []struct{ rule, text, want string }{
		{"path that is too long for an id", "--- a/" + long + "\n+++ b/" + long + "\n" + hunkText, "M " + long + " +1 -1"},
		{"more files than the index lists", many, "M fa +1 -1"},
		{"files of several commits", "commit " + hash + "\n\n    One\n\ncommit " + hash + "\n\n    Two\n\n--- a/x\n+++ b/x\n" + hunkText, "M x +1 -1"},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Fatalf("%s: refused", c.rule)
		}
		if got := strings.Join(parttest.List(d), "\n"); !strings.Contains(got, " | "+c.want) {
			t.Errorf("%s: got\n%s\nwant %s", c.rule, got, c.want)
		}
	}
}

func TestNotADiff(t *testing.T) {
	diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunkText
	prose := strings.Repeat("Some words that go on for a while, as they do.\n", 30)
	for rule, text := range map[string]string{
		"nothing":                "",
		"prose":                  prose,
		"a diff in a fence":      "# Fix\n\n```diff\n" + diff + "```\n",
		"a diff in a long text":  prose + diff + prose,
		"documents of YAML":      "--- a\n+++ b\nc: d\n",
		"front matter":           "---\ntitle: a\n---\ntext\n",
		"a command":              "diff --git a b\n" + prose,
		"list with plus signs":   "--- a\n+++ b\n+ c\n+ d\n",
		"a log without patches":  "commit " + hash + "\nAuthor: A\n\n    text\n\n",
		"index of a book":        "Index: a\n" + prose,
		"a hunk without a file":  hunkText,
		"something like a hunk":  "--- a\n+++ b\n@@ -x +y @@\n",
		"statement of a program": "--- x\n+++ y\n@@ -1\n",
	} {
		if d, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: %q", rule, parttest.List(d))
		}
	}
}

func TestRandomLines(t *testing.T) {
	all := []string{
		"diff --git a/x b/x", "diff --cc é", "--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", "@@@ -1 -1,2 +1 @@@ f", " a", "-b", "+c", "", "\\ No newline", "commit " + hash,
		"From " + hash + " x", "Subject: a", "    b", "Index: y", "rename from 日", "rename to 本", "Binary files a and b differ", "GIT binary patch", "-- ", "new file mode 1", "text", "```",
	}
	tested.Random(t, 4000, 50, func(rnd *rand.Rand) string {
		return all[rnd.IntN(1+rnd.IntN(len(all)))] + []string{"\n", "\n", "\r\n"}[rnd.IntN(3)]
	})
}

func TestHostileTexts(t *testing.T) {
	header := "--- x\n+++ x\n"
	for rule, text := range map[string]string{
		"12 MB on one line":    header + "@@ -1 +1 @@\n-" + strings.Repeat("ab ", 4_000_000),
		"a hunk of everything": header + "@@ -1,999999999999 +1,999999999999 @@\n" + strings.Repeat("+a\n", 1_000_000),
		"100,000 files":        strings.Repeat("diff --git a/x b/x\n"+header+"@@ -1 +1 @@\n-a\n+b\n", 100_000),
		"100,000 commits":      strings.Repeat("commit "+hash+"\n\n    a\n\ndiff --git a/x b/x\n"+header+"@@ -1 +1 @@\n-a\n+b\n", 100_000),
		"headers alone":        header + "@@ -1 +1 @@\n-a\n+b\n" + strings.Repeat("diff --git a/x b/x\n", 500_000),
		"many parents":         header + strings.Repeat("@", 100_000) + strings.Repeat(" -1", 99_999) + " +1 " + strings.Repeat("@", 100_000) + "\n",
		"a long path":          "diff --git a/x b/x\nrename from " + strings.Repeat("é/", 1_000_000) + "\nrename to x\n",
	} {
		d, ok := Scan([]byte(text), parttest.Forced)
		if !ok {
			t.Errorf("%s: refused", rule)
			continue
		}
		parttest.NameFirst(d)
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{
		"--- x\n+++ x\n@@ -1,3 +1 @@\n\x00",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunkText, "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", "diff --cc x\n@@@ -1 -1 +1 @@@\n++a\n", "commit " + hash + "\n\n    a\ndiff -u a b\n", "Index: \n", "diff --git \"a\nrename from \"\\\n",
	}, nil)
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("diff --git a/x/y.go b/x/y.go\nindex 1..2 100644\n--- a/x/y.go\n+++ b/x/y.go\n"+strings.Repeat("@@ -1,8 +1,8 @@ func f() {\n"+strings.Repeat(" some line of code that did not change\n", 7)+"-one that did\n+one that was\n", 5), 1000))
	tested.Bench(b, text)
}
