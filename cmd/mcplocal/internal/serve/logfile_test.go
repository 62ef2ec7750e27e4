package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/homedir"
)

func TestLogIsRotated(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "logs", "mcplocal.log")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	stderr, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	log, _ := logWriter(homedir.Dir(home), stderr)
	w, ok := log.(*rotatedLog)
	if !ok {
		t.Fatal("the log of the home is not rotated")
	}
	w.limit, w.due = 10, 10
	for _, record := range []string{"1234\n", "5678\n", "next\n", "last\n"} {
		if _, err := w.Write([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{file + ".1": "1234\n5678\n", file: "next\nlast\n"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s contains %q, %v, want %q", filepath.Base(name), got, err, want)
		}
	}
	if info, err := os.Stat(file + ".1"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the rotated log: %v, %v", info, err)
	}

	other, err := os.Create(filepath.Join(home, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if w, _ := logWriter(homedir.Dir(home), other); w != other {
		t.Error("a file that is not the log of the home is rotated")
	}
}

// If a rotation fails, the log grows by the limit before the next attempt.
func TestFailedRotationIsNotRepeatedForEachRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcplocal.log")
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := &rotatedLog{out: out, file: file, limit: 10, due: 10}
	write := func(records ...string) {
		for _, record := range records {
			if _, err := w.Write([]byte(record)); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(when, name, want string) {
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%s: %s contains %q, want %q", when, filepath.Base(name), got, want)
		}
	}
	obstacle := filepath.Join(file+".1", "full") // a directory cannot be replaced by the copy
	if err := os.MkdirAll(obstacle, 0o700); err != nil {
		t.Fatal(err)
	}
	write("1234\n", "5678\n", "next\n")
	check("after the failure", file, "1234\n5678\nnext\n")
	if err := os.RemoveAll(file + ".1"); err != nil {
		t.Fatal(err)
	}
	write("more\n")
	check("before the file has grown by the limit", file, "1234\n5678\nnext\nmore\n")
	check("before the file has grown by the limit", file+".1", "")
	write("last\n")
	check("after it has grown", file, "last\n")
	check("after it has grown", file+".1", "1234\n5678\nnext\nmore\n")
}

// stuck is a pipe that nobody reads until it is opened.
type stuck struct {
	open chan struct{}
	got  chan string
}

func (s stuck) Write(p []byte) (int, error) {
	<-s.open
	s.got <- string(p)
	return len(p), nil
}

// The daemon goes on while nobody reads its log.
func TestLogThatNobodyReads(t *testing.T) {
	out := stuck{make(chan struct{}), make(chan string, 2*queuedRecords)}
	l := newQueuedLog(out)
	for range queuedRecords + 100 {
		if n, err := l.Write([]byte("record\n")); n != 7 || err != nil {
			t.Fatal(n, err)
		}
	}
	l.flush() // returns after flushLimit
	close(out.open)
	got := <-out.got + <-out.got // the first record may have been taken before others were dropped
	if !strings.Contains(got, " records of the log were dropped, because nobody read them\n") {
		t.Errorf("got %q", got)
	}
}
