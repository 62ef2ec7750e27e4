package display

import "testing"

func TestSize(t *testing.T) {
	for n, want := range map[int]string{
		0: "0B", 532: "532B", 999: "999B", 1000: "1K", 1049: "1K", 1050: "1.1K", 3000: "3K", 9949: "9.9K", 9950: "10K", 20_400: "20K",
		999_499: "999K", 999_500: "1M", 1_150_000: "1.2M", 33_554_432: "34M",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"  a \r\n\t b  ": "a b", "\x1b[1mx": "x", "a\u202eb": "ab", "a\xffb": "ab", "": "", "\u0085x": "x",
		"\x1b[38;5;12mblue\x1b[m": "blue", "\x1b]8;;http://a.b\x1b\\link\x1b]8;;\x1b\\ x": "link x", "\x1b]0;name\a$ make": "$ make",
		"\x1b[2K\x1b[1Gdone": "done", "[1] ]8;;": "[1] ]8;;", "cut \x1b[38;5": "cut [38;5", "\x1bM up": "up",
		"12345678901234567890123": "12345678901234567...", "日本語日本語日本語": "日本語日本...",
	} {
		if got := Clean([]byte(in), 20); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
