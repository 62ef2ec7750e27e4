package compress

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestLog(t *testing.T) {
	trace := "java.io.IOException: no route to the host\n\tat com.example.relay.Client.open(Client.java:42)\n\tat com.example.relay.Main.run(Main.java:7)\n"
	for rule, test := range map[string]struct{ in, want string }{
		"records that differ in their times": {"2026-11-21T10:00:00 INFO a\n2026-11-21T10:00:05 INFO a\n2026-11-21T10:00:09 INFO a\n2026-11-21T10:00:10 WARN b\n",
			"2026-11-21T10:00:00 INFO a (x3 until 10:00:09)\n2026-11-21T10:00:10 WARN b\n"},
		"the same records at another date stay": {"2026-11-21T10:00:00 INFO a\n2026-11-22T10:00:05 INFO a\n2026-11-23T10:00:05 INFO b\n",
			"2026-11-21T10:00:00 INFO a\n2026-11-22T10:00:05 INFO a\n2026-11-23T10:00:05 INFO b\n"},
		"records that differ in a number stay": {"2026-11-21T10:00:00 INFO a 1\n2026-11-21T10:00:05 INFO a 2\n2026-11-21T10:00:05 INFO a 3\n",
			"2026-11-21T10:00:00 INFO a 1\n2026-11-21T10:00:05 INFO a 2\n2026-11-21T10:00:05 INFO a 3\n"},
		"several records in turn": {"10:00:00 try\n10:00:01 fail\n10:00:02 try\n10:00:03 fail\n10:00:04 try\n10:00:05 fail\n10:00:06 done\n",
			"10:00:00 try\n10:00:01 fail\n  (the last 2 entries x3 until 10:00:05)\n10:00:06 done\n"},
		"a repeated trace": {"2026-11-21 10:00:00 ERROR a\n" + trace + "2026-11-21 10:00:05 ERROR b\n" + trace + "2026-11-21 10:00:09 INFO c\n",
			"2026-11-21 10:00:00 ERROR a [trace 1]\n" + trace + "2026-11-21 10:00:05 ERROR b [trace 1, the same 3 lines]\n2026-11-21 10:00:09 INFO c\n"},
		"a trace with a duty": {"2026-11-21 10:00:00 ERROR a\n" + trace + "\tYou MUST restart\n2026-11-21 10:00:05 ERROR b\n" + trace + "\tYou MUST restart\n2026-11-21 10:00:09 INFO c\n",
			"2026-11-21 10:00:00 ERROR a\n" + trace + "\tYou MUST restart\n2026-11-21 10:00:05 ERROR b\n" + trace + "\tYou MUST restart\n2026-11-21 10:00:09 INFO c\n"},
		"a record of several lines": {"2026-11-21 10:00:00 ERROR a\n  b\n2026-11-21 10:00:05 ERROR a\n  b\n2026-11-21 10:00:09 INFO c\n",
			"2026-11-21 10:00:00 ERROR a\n  b\n  (the last entry x2 until 10:00:05)\n2026-11-21 10:00:09 INFO c\n"},
		"colors":                     {"\x1b[32m2026-11-21 10:00:00\x1b[0m INFO a\n2026-11-21 10:00:00 INFO b\n2026-11-21 10:00:00 \x1b[31mWARN\x1b[0m c\n", "2026-11-21 10:00:00 INFO a\n2026-11-21 10:00:00 INFO b\n2026-11-21 10:00:00 WARN c\n"},
		"lines before the first one": {"# log of x\n2026-11-21 10:00:00 INFO a\n2026-11-21 10:00:00 INFO b\n2026-11-21 10:00:00 INFO c\n", "# log of x\n2026-11-21 10:00:00 INFO a\n2026-11-21 10:00:00 INFO b\n2026-11-21 10:00:00 INFO c\n"},
		"records without times":      {"INFO: a\nINFO: a\nWARN: b\nINFO: c\nINFO: d\nINFO: e\n", "INFO: a (x2)\nWARN: b\nINFO: c\nINFO: d\nINFO: e\n"},
		"no log":                     {"a\na\nb\n", "a (x2)\nb\n"},
	} {
		if got := string(compactLog([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q becomes\n%q, want\n%q", rule, test.in, got, test.want)
		}
	}
}

func TestFrameOfALogIsStatedOnce(t *testing.T) {
	for rule, test := range map[string]struct{ record, frame, short string }{
		"date, zone and host":        {"2026-11-21T10:%02d:00.5Z web-1 app: n%d\n", "`2026-11-21T` before the time, `Z web-1 app: ` after it", "10:%02d:00.5 n%d\n"},
		"after other words":          {"10.0.0.%[2]d - - [21/Nov/2026:10:%02[1]d:00 +0100] \"GET /%[2]d\n", "` - - [21/Nov/2026:` before the time, ` +0100] \"GET ` after it", ""},
		"month, day and host":        {"Nov 21 10:%02d:00 web-1 n%d\n", "`Nov 21 ` before the time, ` web-1 ` after it", "10:%02d:00 n%d\n"},
		"only the date":              {"2026-11-21 10:%02d:00,123 n%d\n", "`2026-11-21 ` before the time", ""},
		"no date":                    {"10:%02d:00 some longer words n%d\n", "` some longer words ` after it", ""},
		"with a duty the text stays": {"2026-11-21 10:%02d:00 you MUST see n%d\n", "`2026-11-21 ` before the time", "10:%02d:00 you MUST see n%d\n"},
	} {
		var in, want strings.Builder
		want.WriteString("left out of each record: " + test.frame + "\n")
		for i := range 40 {
			fmt.Fprintf(&in, test.record, i, i)
			fmt.Fprintf(&want, test.short, i, i)
		}
		got := string(compactLog([]byte(in.String())))
		if test.short != "" && got != want.String() || !strings.HasPrefix(got, "left out of each record: "+test.frame+"\n") {
			t.Errorf("%s: %.300q, want %.300q", rule, got, want.String())
		}
	}
}

var noteOfRun = regexp.MustCompile(`^(?:(.*)| *)\((?:the last (\d+) entries |the last entry )?x(\d+)(?: until (\S+))?\)$`)

// expandLog returns the messages of a compact log and the times that it states.
func expandLog(out string) (messages []string, times map[int]string) {
	times = make(map[int]string)
	var starts []int // of the entries
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "left out") {
			continue
		}
		period, repeats, until := 1, 1, ""
		if m := noteOfRun.FindStringSubmatch(line); m != nil {
			line, until = strings.TrimSuffix(m[1], " "), m[4]
			repeats, _ = strconv.Atoi(m[3])
			if m[2] != "" {
				period, _ = strconv.Atoi(m[2])
			}
		}
		if strings.TrimSpace(line) != "" {
			at, message, _ := strings.Cut(line, " ")
			times[len(messages)] = at[strings.IndexByte(at, 'T')+1:]
			starts = append(starts, len(messages))
			messages = append(messages, message)
		}
		for block := messages[starts[len(starts)-period]:]; repeats > 1; repeats-- {
			messages = append(messages, block...)
		}
		if until != "" {
			times[len(messages)-1] = until
		}
	}
	return messages, times
}

func TestRandomLogsCanBeExpanded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		var in strings.Builder
		var messages, times []string
		kinds := 1 + rnd.IntN(4)
		for i := range 3 + rnd.IntN(60) {
			at := fmt.Sprintf("10:%02d:%02d", i/60, i%60)
			message := []string{"INFO a", "WARN b", "ERROR you MUST c", "INFO host d"}[rnd.IntN(kinds)]
			times, messages = append(times, at), append(messages, message)
			in.WriteString("2026-11-21T" + at + " " + message + "\n")
		}
		out := string(compactLog([]byte(in.String())))
		common := ""
		if line, _, ok := strings.Cut(out, "\n"); ok && strings.HasPrefix(line, "left out") {
			if _, after, ok := strings.Cut(line, "before the time, `"); ok {
				common = strings.TrimPrefix(strings.TrimSuffix(after, "` after it"), " ")
			}
		}
		got, stated := expandLog(out)
		if len(got) != len(messages) {
			t.Fatalf("%s\nbecomes\n%s\nwith %d records, want %d", in.String(), out, len(got), len(messages))
		}
		for i := range got {
			if common+got[i] != messages[i] || stated[i] != "" && stated[i] != times[i] {
				t.Fatalf("%s\nbecomes\n%s\nrecord %d is %q at %s", in.String(), out, i, got[i], stated[i])
			}
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add("2026-11-21T10:00:00Z a\n2026-11-21T10:00:01Z a\n\tat b\n")
	f.Add("Nov 21 10:00:00 a b\nNov 21 10:00:01 a c\n")
	f.Fuzz(func(t *testing.T, in string) {
		if out := compactLog([]byte(in)); len(out) > 2*len(in)+200 {
			t.Fatalf("%q grows to %q", in, out)
		}
	})
}
