package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	saveAfter = 5 * time.Second // the first change; so much a killed daemon forgets
	maxLedger = 1 << 20         // bytes
	mostSpent = 1 << 50         // tokens that are believed of a row: sums of them are numbers, too
)

// ledger is the file in which a budget outlives the process. It names projects and
// hashes of modules, and counts.
type ledger struct {
	Day   string  `json:"day"` // UTC
	Spent []Spent `json:"spent"`
}

// load takes over what was spent before. A ledger of another day counts nothing,
// and neither does one that cannot be read.
func (b *budget) load() {
	if b.ledger == "" {
		return
	}
	l, err := readLedger(b.ledger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		b.log.Warn("what LLMs cost today is not known, it is counted from now on", "error", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.today(); l.Day != b.day {
		return
	}
	for _, s := range l.Spent {
		b.spent[purse{s.Module, s.Project}] += min(max(s.Tokens, 0), mostSpent)
	}
}

func readLedger(path string) (l ledger, err error) {
	f, err := os.Open(path)
	if err != nil {
		return ledger{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLedger))
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return ledger{}, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return l, nil
}

// changed has the ledger written a while later, all changes until then at once;
// the caller holds the lock.
func (b *budget) changed() {
	if b.ledger != "" && b.save == nil {
		b.save = time.AfterFunc(saveAfter, b.flush)
	}
}

// flush writes the ledger if it is out of date.
func (b *budget) flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	if b.save == nil {
		b.mu.Unlock()
		return
	}
	b.save.Stop()
	b.save = nil
	l := ledger{Day: b.day, Spent: b.rows()}
	b.mu.Unlock()
	if err := writeLedger(b.ledger, l); err != nil {
		b.log.Warn("what LLMs cost today is not kept, a new daemon will count from 0", "error", err)
	}
}

// writeLedger replaces the file as a whole: it is the old one or the new one
// whenever the machine stops.
func writeLedger(path string, l ledger) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".ledger-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
