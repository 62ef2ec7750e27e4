package log

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ format, line, time, level string }{
		{"RFC 3339", "2026-11-21T08:15:30.123456Z INFO started", "2026-11-21T08:15", "INFO"},
		{"zone", "2026-11-21T08:15:30+01:00 [warn] low", "2026-11-21T08:15", "WARN"},
		{"log4j", "2026-11-21 08:15:30,123 ERROR [main] a.B: failed", "2026-11-21T08:15", "ERROR"},
		{"logback", "2026-11-21 08:15:30.123 [main] DEBUG a.b.C - text", "2026-11-21T08:15", "DEBUG"},
		{"spring", "2026-11-21 08:15:30.123  INFO 1 --- [main] a.B : text", "2026-11-21T08:15", "INFO"},
		{"python", "2026-11-21 08:15:30,123 - app.main - WARNING - text", "2026-11-21T08:15", "WARN"},
		{"go", "2026/11/21 08:15:30 main.go:12: text", "2026-11-21T08:15", ""},
		{"go with microseconds", "2026/11/21 08:15:30.123456 text", "2026-11-21T08:15", ""},
		{"in brackets", "[2026-11-21 08:15:30] app.ERROR: text", "2026-11-21T08:15", ""},
		{"nginx", "2026/11/21 08:15:30 [error] 12#34: *5 text", "2026-11-21T08:15", "ERROR"},
		{"windows", "2026-11-21 08:15:30, Info                  CBS    text", "2026-11-21T08:15", "INFO"},
		{"zap", "2026-11-21T08:15:30.123Z\tinfo\tmain.go:1\ttext", "2026-11-21T08:15", "INFO"},
		{"logfmt", `time="2026-11-21T08:15:30Z" level=error msg="text"`, "2026-11-21T08:15", "ERROR"},
		{"slog", `time=2026-11-21T08:15:30.000Z level=WARN msg=text`, "2026-11-21T08:15", "WARN"},
		{"RFC 3164", "<34>Nov  1 08:15:30 host su: failed", "0000-11-01T08:15", ""},
		{"RFC 5424", "<165>1 2026-11-21T08:15:30.003Z host app - ID47 - text", "2026-11-21T08:15", ""},
		{"syslog", "Nov 21 08:15:30 host sshd[12]: text", "0000-11-21T08:15", ""},
		{"apache access", `10.0.0.1 - - [21/Nov/2026:08:15:30 +0000] "GET /a HTTP/1.1" 404 12 "-" "curl"`, "2026-11-21T08:15", "4xx"},
		{"apache error", "[Sat Nov 21 08:15:30 2026] [error] text", "2026-11-21T08:15", "ERROR"},
		{"apache 2.4 error", "[Sat Nov 21 08:15:30.123456 2026] [core:error] text", "2026-11-21T08:15", "ERROR"},
		{"tomcat", "21-Nov-2026 08:15:30.123 SEVERE [main] a.B text", "2026-11-21T08:15", "ERROR"},
		{"java.util.logging", "Nov 21, 2026 8:15:30 AM a.B c", "2026-11-21T08:15", ""},
		{"klog", "E1121 08:15:30.123456       1 file.go:12] text", "0000-11-21T08:15", "ERROR"},
		{"logcat", "11-21 08:15:30.123  1702  2395 W Tag: text", "0000-11-21T08:15", "WARN"},
		{"spark", "26/11/21 08:15:30 INFO a.B: text", "2026-11-21T08:15", "INFO"},
		{"hdfs", "261121 081530 148 WARN dfs.A: text", "2026-11-21T08:15", "WARN"},
		{"compact", "20261121-08:15:30:606|Step|3|text", "2026-11-21T08:15", ""},
		{"compact, digits left out", "20261121-8:5:3:606|Step|3|text", "2026-11-21T08:05", ""},
		{"epoch", "1763712930 INFO text", "2025-11-21T08:15", "INFO"},
		{"epoch after a word", "- 1763712930 2025.11.21 node INFO text", "2025-11-21T08:15", "INFO"},
		{"after a file name", "nova.log 2026-11-21 08:15:30.008 25746 INFO nova text", "2026-11-21T08:15", "INFO"},
		{"time of day", "08:15:30.123 [main] INFO a.B - text", "0000-00-00T08:15", "INFO"},
		{"level in lower case in a sentence", "2026-11-21 08:15:30 there was no error here", "2026-11-21T08:15", ""},
		{"invalid month", "2026-13-21 08:15:30 text", "", ""},
		{"invalid hour", "2026-11-21 25:15:30 text", "", ""},
		{"a number", "12026-11-21 text", "", ""},
	} {
		text := strings.Repeat(c.line+"\n", 10)
		f, ok := guessFormat([]byte(text), 0, false)
		if !ok {
			if c.time != "" {
				t.Errorf("%s: refused", c.format)
			}
			continue
		}
		l := newLog([]byte(text), f)
		l.read(0, false)
		if got := l.stamps[0].String(); got != c.time || len(l.levels) != 10 {
			t.Errorf("%s: %d records at %s, want %s", c.format, len(l.levels), got, c.time)
		}
		if got := l.levelName(l.levels[9]); got != c.level {
			t.Errorf("%s: level %q, want %q", c.format, got, c.level)
		}
	}
}

func TestScanRejectsOtherText(t *testing.T) {
	for rule, text := range map[string]string{
		"nothing":                  "",
		"prose":                    strings.Repeat("On 2026-11-21 08:15:30 it rained, and no one\nwent out, not even the dog.\n", 9),
		"table with times":         strings.Repeat("2026-11-21T08:15:30Z,12,3.5\n", 20),
		"table with tabs":          strings.Repeat("2026-11-21T08:15:30Z\t12\t3.5\n", 20),
		"table with levels":        strings.Repeat("1,Sat Nov 21 08:15:30 2026,notice,text\n", 20),
		"quoted table":             strings.Repeat("\"2026-11-21 08:15:30\",\"error\"\n", 20),
		"list of Markdown":         strings.Repeat("- 2026-11-21 08:15:30 INFO this was done\n", 20),
		"table of Markdown":        strings.Repeat("| 2026-11-21 08:15:30 | done |\n", 20),
		"headings of a change log": strings.Repeat("2026-11-21 08:15:30\n\nThis was done on that day.\nAnd that.\nAnd more of it.\n", 9),
		"subtitles": parttest.Lines(20, func(i int) string {
			return fmt.Sprintf("%d\n00:00:%02d,000 --> 00:00:%02d,900\nHello there\n", i, i, i)
		}),
		"listing of files": strings.Repeat("-rw-r--r-- 1 root root 4096 Nov 21 08:15 file.txt\n", 20),
		"code":             strings.Repeat("t := parse(\"2026-11-21 08:15:30\")\n", 20),
		"YAML":             strings.Repeat("- at: 2026-11-21 08:15:30\n  level: INFO\n", 20),
		"two records":      strings.Repeat("2026-11-21 08:15:30 INFO a\n", 2),
		"dates alone":      strings.Repeat("2026-11-21 INFO a\n", 20),
		"numbers":          strings.Repeat("1763712930 1763712930\n", 1) + strings.Repeat("12 13\n", 20),
	} {
		if d, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: %s", rule, d.Count)
		}
	}
	if _, ok := Scan([]byte("2026-11-21 08:15:30 a\n2026-11-21 08:15:30 b\n"), part.Clues{File: "x.LOG"}); !ok {
		t.Error("two records of a file named .LOG are refused")
	}
}

func TestContinuationLines(t *testing.T) {
	text := "\ufeffserver of 2026\n" + parttest.Lines(4, func(i int) string {
		return fmt.Sprintf("2026-11-21 08:15:3%d ERROR a.B: failed %d\njava.io.IOException: no\n\tat a.B.c(B.java:1)\n\nCaused by: b\n\t... 3 more", i, i)
	})
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	want := `head | server of 2026
L2 | 08:15:30 ERROR a.B: failed 0 java.io.IOException: no at a.B.c(B.java:1) Cause...
L8 | 08:15:31 ERROR a.B: failed 1 java.io.IOException: no at a.B.c(B.java:1) Cause...
L14 | 08:15:32 ERROR a.B: failed 2 java.io.IOException: no at a.B.c(B.java:1) Cause...
L20 | 08:15:33 ERROR a.B: failed 3 java.io.IOException: no at a.B.c(B.java:1) Cause...`
	if got := strings.Join(parttest.List(d), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	parttest.Check(t, []byte(text), d, nil)
}

func TestTitlesBeginWithTheTimeOfDay(t *testing.T) {
	for _, line := range []string{"08:15:30 INFO started", "2026-11-21 08:15:30 INFO started", "[Sat Nov 21 08:15:30 2026] started"} {
		d, ok := Scan([]byte(strings.Repeat(line+"\n", 4)), part.Clues{})
		if !ok || !strings.HasPrefix(parttest.List(d)[3], "L4 | 08:15:30") {
			t.Errorf("%s: %q", line, parttest.List(d))
		}
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		rule, text, lines string
		want              []string
	}{
		{"hours with levels", parttest.Lines(60, func(i int) string {
			return fmt.Sprintf("2026-11-21 %02d:%02d:00 %s request %d done", 8+i/20, i%20*3, []string{"INFO", "INFO", "WARN", "ERROR", "INFO"}[i%5], i)
		}), "2026-11-21T08:00..10:57: ERROR 12, WARN 12, INFO 36\noften: 60 x request # done", []string{
			"2026-11-21T08 | 08:00..08:57, 20 records: ERROR 4, WARN 4",
			"2026-11-21T09 | 09:00..09:57, 20 records: ERROR 4, WARN 4",
			"2026-11-21T10 | 10:00..10:57, 20 records: ERROR 4, WARN 4"}},
		{"a burst", parttest.Lines(80, func(i int) string { return fmt.Sprintf("Nov 21 %02d:00:00 host a: b", min(8+i/4, 16)) }), "11-21T08:00..16:00\noften: 80 x host a: b", []string{
			"11-21T08 | 08:00, 4 records", "11-21T09 | 09:00, 4 records", "11-21T10 | 10:00, 4 records", "11-21T11 | 11:00, 4 records",
			"11-21T12 | 12:00, 4 records", "11-21T13 | 13:00, 4 records", "11-21T14 | 14:00, 4 records", "11-21T15 | 15:00, 4 records",
			"11-21T16 | 16:00, 48 records, burst"}},
		{"few late times", parttest.Lines(60, func(i int) string {
			return fmt.Sprintf("2026-11-21 %02d:10:00 INFO a", 8+i/20-i%20/19*(1-i/21%2))
		}), "", []string{
			"2026-11-21T08 | 08:10, 20 records", "2026-11-21T09 | 09:10, 20 records", "2026-11-21T10 | 10:10, 20 records"}},
		{"unordered times: by level", parttest.Lines(60, func(i int) string {
			return fmt.Sprintf("2026-11-21 %02d:10:00 %s a", 8+i*7%10, []string{"INFO", "WARN", "x"}[i%3])
		}), "", []string{"level=INFO | INFO: 20 records", "level=WARN | WARN: 20 records", "level= | no level: 20 records"}},
		{"unordered times, one level", parttest.Lines(60, func(i int) string { return fmt.Sprintf("2026-11-21 %02d:10:00 INFO a", 8+i*7%10) }), "", nil},
		{"requests", parttest.Lines(60, func(i int) string {
			return fmt.Sprintf(`10.0.0.%d - - [21/Nov/2026:%02d:00:00 +0000] "GET /a/%d HTTP/1.1" %d 12 "-" "curl"`, i, 8+i/30, i, 200+i%3*100)
		}), "2026-11-21T08:00..09:00: 4xx 20, 3xx 20, 2xx 20\noften: 60 x \"GET /a/# HTTP/#\" # # \"-\" \"curl\"", []string{
			"2026-11-21T08 | 08:00, 30 records: 4xx 10", "2026-11-21T09 | 09:00, 30 records: 4xx 10"}},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		var got []string
		for i, line := range parttest.List(d) {
			if d.Parts[i].Kind == part.Group {
				got = append(got, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.want)
		}
		if line := strings.Join(d.Lines, "\n"); c.lines != "" && line != c.lines {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, line, c.lines)
		}
		parttest.Check(t, []byte(c.text), d, nil)
	}
}

// Of more than rows.MaxNamed records only the groups by time are parts.
func TestGroupsOfManyRecords(t *testing.T) {
	text := parttest.Lines(100_000, func(i int) string {
		return fmt.Sprintf("2026-11-21 %02d:%02d:%02d INFO a", 8+i/10_000, i/200%50, i/4%50)
	})
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || d.Count != "100000 records" || len(d.Parts) != 10*51 || parttest.List(d)[0] != "2026-11-21T08 | 08:00..08:49, 10000 records" {
		t.Errorf("%t %s %d %.3q", ok, d.Count, len(d.Parts), parttest.List(d))
	}
	parttest.Check(t, []byte(text), d, nil)
	mixed := parttest.Lines(100_000, func(i int) string { return fmt.Sprintf("2026-11-21 %02d:00:00 INFO a", i*7%24) })
	if d, ok := Scan([]byte(mixed), part.Clues{}); !ok || len(d.Parts) != 0 {
		t.Errorf("mixed: %t, %d parts", ok, len(d.Parts))
	}
}

func TestRandomLines(t *testing.T) {
	starts := []string{
		"2026-11-21 08:15:30 ", "2026-11-21 09:15:30,123 INFO ", "Nov 21 08:15:30 ", "\tat a.b", "", "é日本 ", "10.0.0.1 - - [21/Nov/2026:08:15:30 +0000] \"GET / HTTP/1.1\" 20", "<34>",
		"time=", "[", "E1121 08:15:30.1 ", "1763712930 ", "Nov 21, 2026 8:1", "2026-11-21T10:15:30Z",
	}
	tested.Random(t, 2000, 60, func(rnd *rand.Rand) string {
		return starts[rnd.IntN(1+rnd.IntN(len(starts)))] + []string{"", "text", " ERROR x", "\""}[rnd.IntN(4)] + []string{"\n", "\r\n", "\n\n"}[rnd.IntN(3)]
	})
}

func TestHostileTexts(t *testing.T) {
	for rule, text := range map[string]string{
		"12 MB on one line":   "2026-11-21 08:15:30 INFO " + strings.Repeat("ab ", 4_000_000),
		"a long last record":  strings.Repeat("2026-11-21 08:15:30 a\n", 9) + strings.Repeat("\tat b\n", 2_000_000),
		"a million records":   strings.Repeat("2026-11-21 08:15:30\n", 1_000_000),
		"long words":          strings.Repeat(strings.Repeat("[", 10_000)+"\n", 100),
		"half times":          strings.Repeat("2026-11-21 08:15\n2026-11-21 08:1\n", 10_000),
		"requests, no status": strings.Repeat("a [21/Nov/2026:08:15:30 +0000] \"\"\n", 10_000),
	} {
		for _, clues := range []part.Clues{{}, {File: "x.log"}, parttest.Forced} {
			if d, ok := Scan([]byte(text), clues); ok {
				if len(d.Parts) == 0 && rule != "a million records" {
					t.Errorf("%s: no parts", rule)
				}
				parttest.NameFirst(d)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{
		"\x00\n2026-11-21 08:15:30 a", "2026-11-21 08:15:30 INFO a\n\tb\n", "<1>1 2026-11-21T08:15:30+01:00 a\n", "a [21/Nov/2026:08:15:30 +0000] \"b\" 200 \n", "Nov  1, 2026 8:15:30 PM\n", "time=\"1763712930\n", "I0102 08:15:30 a",
	}, nil)
}

func BenchmarkScan(b *testing.B) {
	text := []byte(parttest.Lines(20_000, func(i int) string {
		return fmt.Sprintf("2026-11-21 %02d:%02d:%02d,123 INFO [main] org.example.mapreduce.App: Created application attempt_%d with %d tokens", 8+i/2000, i/40%50, i%60, i, i%7)
	}))
	tested.Bench(b, text)
}

func TestGroupsBySecond(t *testing.T) {
	long := func(clocks ...string) string {
		var s strings.Builder
		for _, c := range clocks {
			s.WriteString(strings.Repeat("2026-11-21 "+c+",123 INFO text\n", 10))
		}
		return s.String()
	}
	for _, c := range []struct{ rule, text, want string }{
		{"by seconds", long("20:10:51", "20:10:52", "20:10:54"), "@20:10:51 10 records, @20:10:52 10 records, @20:10:54 10 records"},
		{"by ten seconds, then by one", long("20:10:48", "20:10:49", "20:10:50", "20:10:51", "20:10:52"),
			"@20:10:4 20:10:48..49, 20 records, @20:10:5 20:10:50..52, 30 records, @20:10:50 10 records, @20:10:51 10 records, @20:10:52 10 records"},
		{"two minutes, mostly in one", long("20:10:10", "20:10:20", "20:10:30", "20:10:40", "20:10:50", "20:11:00"),
			"@20:10:1 20:10:10, 10 records, @20:10:2 20:10:20, 10 records, @20:10:3 20:10:30, 10 records, @20:10:4 20:10:40, 10 records, @20:10:5 20:10:50, 10 records, @20:11:0 20:11:00, 10 records"},
		{"all in one second", long("20:10:51", "20:10:51", "20:10:51"), ""},
		{"unordered times", long("20:10:52", "20:10:51", "20:10:52", "20:10:51"), ""},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Fatalf("%s: refused", c.rule)
		}
		var got []string
		for i, p := range d.Parts {
			if p.Kind == part.Group {
				var n part.Name
				d.Name(i, &n)
				got = append(got, fmt.Sprintf("@%s %s", n.ID, n.Title))
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.rule, s, c.want)
		}
		parttest.Check(t, []byte(c.text), d, nil)
	}
}
