package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFrameReader(t *testing.T) {
	long := func(before, after string) string { return before + strings.Repeat("x", 200_000) + after }
	const limit = 1000
	tests := []struct {
		rule, stream string
		want         []string // "!" stands for a frame that was skipped, with id and method behind it
	}{
		{"frames", "a\nbb\n", []string{"a", "bb"}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"empty lines", "\n\r\n\na\n\n", []string{"a"}},
		{"last line without newline", "a\nb", []string{"a", "b"}},
		{"at the limit", strings.Repeat("x", limit) + "\nb\n", []string{strings.Repeat("x", limit), "b"}},
		{"one over the limit", strings.Repeat("x", limit+1) + "\nb\n", []string{"! ", "b"}},
		{"id first", long(`{"jsonrpc":"2.0","id":7,"result":"`, `"}`) + "\nb\n", []string{"!7 ", "b"}},
		{"id last", long(`{"result":"`, `","jsonrpc":"2.0","id":"q"}`) + "\nb\n", []string{`!"q" `, "b"}},
		{"id last but one", long(`{"result":"`, `","id":5,"jsonrpc":"2.0"}`) + "\r\nb\n", []string{"!5 ", "b"}},
		{"request", long(`{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"x":"`, `"}}`) + "\n", []string{"!7 a/b"}},
		{"id in a string", long(`{"jsonrpc":"2.0","result":"`, `,\"id\":9}"}`) + "\n", []string{"! "}},
		{"id in the result", long(`{"jsonrpc":"2.0","result":{"a":"`, `","id":9}}`) + "\n", []string{"! "}},
		{"never a newline", long("", ""), []string{"! "}},
		{"two in a row", long("", "\n") + long("", "\n") + "b\n", []string{"! ", "! ", "b"}},
	}
	for _, tt := range tests {
		for name, source := range map[string]io.Reader{
			"":              strings.NewReader(tt.stream),
			" in pieces":    iotest.HalfReader(strings.NewReader(tt.stream)),
			" with its EOF": iotest.DataErrReader(strings.NewReader(tt.stream)),
		} {
			t.Run(tt.rule+name, func(t *testing.T) {
				if got := readFrames(t, NewFrameReader(source, limit)); strings.Join(got, "|") != strings.Join(tt.want, "|") {
					t.Fatalf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func readFrames(t *testing.T, r *FrameReader) (got []string) {
	t.Helper()
	for {
		frame, err := r.Next()
		var long *FrameTooLongError
		switch {
		case err == io.EOF:
			return got
		case errors.As(err, &long):
			if !errors.Is(err, ErrFrameTooLong) || long.Bytes <= int64(long.Limit) {
				t.Errorf("bad error %v", err)
			}
			got = append(got, "!"+long.ID.String()+" "+long.Method)
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(frame))
		}
	}
}

func TestFrameReaderReportsItsReadersError(t *testing.T) {
	broken := errors.New("broken")
	r := NewFrameReader(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), 0)
	if frame, err := r.Next(); err != nil || string(frame) != "a" {
		t.Fatalf("got %q, %v", frame, err)
	}
	if frame, err := r.Next(); !errors.Is(err, broken) {
		t.Fatalf("got %q, %v; want %v", frame, err, broken)
	}
}

// A gigabyte without a newline costs no more memory than the limit allows.
func TestFrameReaderMemoryIsBounded(t *testing.T) {
	const limit, sent = 1 << 20, 1 << 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewFrameReader(io.MultiReader(io.LimitReader(zeros{}, sent), strings.NewReader("\nb\n")), limit)
	_, err := r.Next()
	var long *FrameTooLongError
	if !errors.As(err, &long) || long.Bytes != sent {
		t.Fatalf("got %v, want %d bytes", err, sent)
	}
	if frame, err := r.Next(); err != nil || string(frame) != "b" {
		t.Fatalf("next frame: %q, %v", frame, err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*limit {
		t.Errorf("%d bytes allocated in all for a limit of %d", got, limit)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestFrameWriterWritesOneLine(t *testing.T) {
	var out bytes.Buffer
	w := NewFrameWriter(&out)
	params := raw("{\r\n  \"a\": \"x\\ny\"\n}")
	before := string(params)
	if err := w.Write(Message{ID: NumberID(1), Method: "m", Params: params}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Message{Method: "n"}); err != nil {
		t.Fatal(err)
	}
	want := "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{    \"a\": \"x\\ny\" }}\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
	if string(params) != before {
		t.Error("the caller's params were changed")
	}
}

// FuzzFrameReader checks that frames within the limit are returned unchanged, whatever is
// between them, and that no input ends the reader early.
func FuzzFrameReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n{\"id\":1}"), 3)
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":"xxxxxxxxxxxxxxxxxxxx"}`+"\n"), 10)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		limit = 1 + min(max(limit, 0), 1<<16)
		var want []string
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			if line = bytes.TrimRight(line, "\r"); len(line) > 0 && len(line) < limit {
				want = append(want, string(line))
			}
		}
		r, got := NewFrameReader(bytes.NewReader(stream), limit), []string{}
		for {
			frame, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil && !errors.Is(err, ErrFrameTooLong) {
				t.Fatal(err)
			}
			if err == nil && len(frame) < limit {
				got = append(got, string(frame))
			}
		}
		// A line whose carriage returns alone put it over the limit may be skipped.
		if !bytes.Contains(stream, []byte("\r")) && strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
