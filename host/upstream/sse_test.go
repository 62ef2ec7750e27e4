package upstream

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func TestSSEReader(t *testing.T) {
	tests := []struct {
		rule, stream string
		want         []string // data#id, "!" for an event over the limit
	}{
		{"one line", "data: a\n\n", []string{"a#"}},
		{"without the blank", "data:a\n\n", []string{"a#"}},
		{"only one blank is taken off", "data:  a\n\n", []string{" a#"}},
		{"several lines", "data: a\ndata: b\n\n", []string{"a\nb#"}},
		{"CRLF", "event: message\r\ndata: a\r\n\r\n", []string{"a#"}},
		{"comments and unknown fields", ": hi\nfoo: bar\ndata: a\nfoo\n\n", []string{"a#"}},
		{"ids stay", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", []string{"a#1", "b#1", "c#2"}},
		{"id with NUL", "id: 1\x00\ndata: a\n\n", []string{"a#"}},
		{"event without data", "event: x\n\nid: 7\n\ndata: a\n\n", []string{"a#7"}},
		{"empty data", "id: 7\ndata:\n\n", []string{"#7"}},
		{"cut off", "data: a\n\ndata: b\n", []string{"a#"}},
		{"over the limit", "data: " + strings.Repeat("x", 200) + "\ndata: y\n\ndata: a\n\n", []string{"!", "a#"}},
		{"over the limit in parts", strings.Repeat("data: "+strings.Repeat("x", 30)+"\n", 5) + "\ndata: a\n\n", []string{"!", "a#"}},
	}
	for _, tt := range tests {
		for name, r := range map[string]io.Reader{"": strings.NewReader(tt.stream), " by byte": iotest.OneByteReader(strings.NewReader(tt.stream))} {
			t.Run(tt.rule+name, func(t *testing.T) {
				if got := readEvents(t, newSSEReader(r, 100)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func readEvents(t *testing.T, s *sseReader) (got []string) {
	t.Helper()
	for {
		ev, err := s.next()
		switch {
		case err == io.EOF:
			return got
		case errors.Is(err, jsonrpc.ErrFrameTooLong):
			got = append(got, "!")
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(ev.data)+"#"+ev.id)
		}
	}
}

func TestSSERetryIsBounded(t *testing.T) {
	for field, want := range map[string]time.Duration{"100": 100 * time.Millisecond, "-1": 0, "x": 0, "99999999": lastBackoff} {
		s := newSSEReader(strings.NewReader("retry: "+field+"\ndata: a\n\n"), 100)
		if _, err := s.next(); err != nil || s.retry != want {
			t.Errorf("retry: %s gives %s, %v; want %s", field, s.retry, err, want)
		}
	}
}

// FuzzSSEReader: any stream ends, and no event is over its limit.
func FuzzSSEReader(f *testing.F) {
	f.Add("id: 1\r\ndata: {\"a\":1}\ndata: x\n\n: c\n\nretry: 5\ndata\n\n", 10)
	f.Fuzz(func(t *testing.T, stream string, limit int) {
		limit = 1 + min(max(limit, 0), 4096)
		s := newSSEReader(strings.NewReader(stream), limit)
		for {
			ev, err := s.next()
			if err == io.EOF {
				return
			}
			if err != nil && !errors.Is(err, jsonrpc.ErrFrameTooLong) {
				t.Fatal(err)
			}
			if len(ev.data) > limit+len("data: ") || len(ev.id) > maxHeader || strings.ContainsAny(ev.id, "\x00\n") {
				t.Fatalf("event of %d bytes, limit %d, id %q", len(ev.data), limit, ev.id)
			}
		}
	})
}
