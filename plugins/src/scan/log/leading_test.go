package log

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

func TestRecordsThatBeginWithALevel(t *testing.T) {
	for _, c := range []struct{ format, line, level string }{
		{"python", "WARNING:root:disk is full", "WARN"},
		{"before a colon", "ERROR: disk is full", "ERROR"},
		{"in brackets", "[INFO] disk is full", "INFO"},
		{"in brackets, indented", "  [INFO] disk is full", "INFO"},
		{"in brackets, in lower case", "[warn] disk is full", "WARN"},
		{"in brackets, with a name", "[DEBUG store::disk] disk is full", "DEBUG"},
		{"maven, empty message", "[INFO]", "INFO"},
		{"logfmt", `level=error msg="disk is full"`, "ERROR"},
		{"logfmt, quoted, after another word", `app=a level="warning" msg=x`, "WARN"},
		{"npm", "npm ERR! disk is full", "ERROR"},
		{"npm in lower case", "npm warn disk is full", "WARN"},
		{"logrus", "INFO[0003] disk is full", "INFO"},
		{"logrus, four letters", "ERRO[0003] disk is full", "ERROR"},
		{"after a number in brackets", "[00012] WARN disk is full", "WARN"},
		{"after a thread", "[main] INFO a.B - disk is full", "INFO"},
		{"after a service", "web-1  | ERROR disk is full", "ERROR"},
		{"console of .NET", "info: a.B[0]\n      disk is full", "INFO"},
		{"in colors", "\x1b[32mINFO\x1b[0m disk is full", "INFO"},
	} {
		text := strings.Repeat(c.line+"\n", 10)
		for _, clues := range []part.Clues{{}, {File: "a.log"}, parttest.Forced} {
			d, ok := Scan([]byte(text), clues)
			if !ok || d.Count != "10 records" {
				t.Errorf("%s: %t %v", c.format, ok, d)
				continue
			}
			parttest.Check(t, []byte(text), d, nil)
			if got := d.Lines[0]; got != c.level+" 10" {
				t.Errorf("%s: %q, want %s 10", c.format, got, c.level)
			}
		}
	}
}

func TestScanRejectsOtherTextWithLevels(t *testing.T) {
	for rule, text := range map[string]string{
		"notes":                   strings.Repeat("Note: it rained, and no one went out that day.\n", 20),
		"warnings of a text":      strings.Repeat("Warning: it rained, and no one went out that day.\n", 20),
		"sentences":               strings.Repeat("Error handling is hard. Warnings are not read.\n", 20),
		"a text with a few":       strings.Repeat("It rained that day.\nNo one went out, and that was that.\nWARNING: it is wet.\n", 20),
		"constants":               strings.Repeat("DEBUG = 1\nINFO = 2\nWARN = 3\n", 5),
		"an enumeration":          "const levels = {\n  ERROR: 0,\n  WARN: 1,\n  INFO: 2,\n  DEBUG: 3,\n  TRACE: 4,\n  FATAL: 5,\n}\n",
		"names of levels":         "TRACE: a\nDEBUG: a\nINFO: a\nWARN: a\nERROR: a\nFATAL: a\n",
		"YAML":                    strings.Repeat("- level: info\n  text: it rained\n", 20),
		"YAML of levels":          strings.Repeat("a:\n  info: it rained\n  warn: it is wet\n", 20),
		"list of Markdown":        strings.Repeat("- ERROR it rained\n", 20),
		"table of Markdown":       strings.Repeat("| ERROR | it rained |\n", 20),
		"table with numbers":      strings.Repeat("12 ERROR it rained\n", 20),
		"table with commas":       strings.Repeat("ERROR,12,it rained\n", 20),
		"table with tabs":         strings.Repeat("ERROR\t12\tit rained\n", 20),
		"compiler messages":       strings.Repeat("a/b.c:12:3: error: no such file\n", 20),
		"code that writes a log":  strings.Repeat("log.Info(\"it rained\")\nDebug.Log(1)\n", 20),
		"sections of an INI file": strings.Repeat("[debug]\na = 1\nb = 2\nc = 3\n", 20),
	} {
		if d, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: %s %q", rule, d.Count, d.Lines)
		}
	}
}

// If the file name or the config declares a log, its records may begin late.
func TestLevelsAfterALongStart(t *testing.T) {
	text := strings.Repeat("It rained.\n", 60) + strings.Repeat("INFO:root:text\n", 60)
	for _, clues := range []part.Clues{{File: "a.log"}, parttest.Forced} {
		if d, ok := Scan([]byte(text), clues); !ok || d.Count != "60 records" {
			t.Errorf("%+v: %t %v", clues, ok, d)
		}
	}
	if d, ok := Scan([]byte(text), part.Clues{}); ok {
		t.Errorf("half a text: %s", d.Count)
	}
}

// Records without times are grouped by level even if nearly all have the same one.
func TestGroupsByLevel(t *testing.T) {
	text := parttest.Lines(60, func(i int) string {
		if i%20 == 7 {
			return fmt.Sprintf("ERROR:root:failed %d\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: %d", i, i)
		}
		return fmt.Sprintf("INFO:root:request %d done", i)
	})
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || d.Count != "60 records" || strings.Join(d.Lines, "|") != "ERROR 3, INFO 57|often: 57 x root:request # done | 3 x root:failed #" {
		t.Fatalf("%t %v", ok, d)
	}
	parttest.Check(t, []byte(text), d, nil)
	var got []string
	for i, line := range parttest.List(d) {
		if d.Parts[i].Kind == part.Group || strings.Contains(line, "ERROR:") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := `level=INFO | INFO: 57 records
level=ERROR | ERROR: 3 records
L8 | ERROR:root:failed 7 Traceback (most recent call last): File "a.py", line 3, i...
L31 | ERROR:root:failed 27 Traceback (most recent call last): File "a.py", line 3,...
L54 | ERROR:root:failed 47 Traceback (most recent call last): File "a.py", line 3,...`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

// Control sequences do not affect titles, and remain in the text of the parts.
func TestColorsAreIgnored(t *testing.T) {
	text := "\ufeff\x1b[1mstart\x1b[0m\n" + parttest.Lines(30, func(i int) string {
		return fmt.Sprintf("\x1b[90m2026-11-21T%02d:00:00Z\x1b[0m \x1b[38;5;9mERROR\x1b[0m\x1b[K app: failed %d\r", 8+i/10, i)
	})
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || d.Count != "30 records" || d.Lines[0] != "2026-11-21T08:00..10:00: ERROR 30" {
		t.Fatalf("%t %v", ok, d)
	}
	parttest.Check(t, []byte(text), d, nil)
	list := parttest.List(d)
	if list[0] != "head | start" || list[1] != "2026-11-21T08 | 08:00, 10 records: ERROR 10" || list[2] != " L2 | 08:00:00Z ERROR app: failed 0" {
		t.Errorf("%q", list[:3])
	}
	if p := d.Parts[2]; !strings.HasPrefix(text[p.Start:], "\x1b[90m2026-11-21T08") || !strings.HasSuffix(text[:p.End], "failed 0\r\n") {
		t.Errorf("%q", text[p.Start:p.End])
	}
}
