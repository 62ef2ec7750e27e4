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

	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

const (
	saveAfter = 5 * time.Second // after the first change; a killed daemon loses this much
	maxLedger = 1 << 20         // bytes
	mostSpent = 1 << 50         // maximum tokens of a row, so that sums do not overflow
)

// ledger is the file of a budget. It contains names of projects, hashes of modules, and
// counts.
type ledger struct {
	Day   string  `json:"day"` // UTC
	Spent []Spent `json:"spent"`
}

// load reads the tokens spent before. It ignores the ledger of another day, and one that
// cannot be read.
func (b *budget) load() {
	if b.ledger == "" {
		return
	}
	l, err := readLedger(b.ledger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		b.log.Warn("the tokens used today are unknown, they are counted from now on", "error", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.today(); l.Day != b.day {
		return
	}
	for _, s := range l.Spent {
		b.spent[budgetKey{s.Module, s.Project}] += min(max(s.Tokens, 0), mostSpent)
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

// scheduleSave writes the ledger after saveAfter, with all changes until then. The
// caller holds the lock.
func (b *budget) scheduleSave() {
	if b.ledger != "" && b.save == nil {
		b.save = time.AfterFunc(saveAfter, b.flush)
	}
}

// flush writes the ledger if it has changed.
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
	l := ledger{Day: b.day, Spent: b.sortedRows()}
	b.mu.Unlock()
	if err := writeLedger(b.ledger, l); err != nil {
		b.log.Warn("the tokens used today cannot be saved, a new daemon will count from 0", "error", err)
	}
}

// writeLedger replaces the file atomically.
func writeLedger(path string, l ledger) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'), 0o600)
}
