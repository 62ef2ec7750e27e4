package llm

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// budget counts tokens by module and project of one day (UTC). What a daemon has
// spent, the next one knows from its ledger. Safe for concurrent use.
type budget struct {
	ledger string // file; empty: none is kept
	log    *slog.Logger

	mu    sync.Mutex
	day   string
	spent map[purse]int
	save  *time.Timer // pending; nil if the ledger is up to date

	writing sync.Mutex // of the ledger
}

// purse is who spends.
type purse struct{ module, project string }

// Spent is what one module has used today (UTC) in one project, with what its
// requests under way may use at most.
type Spent struct {
	Project string `json:"project"`
	Module  string `json:"module"` // hash, or the package of ours that asked
	Tokens  int    `json:"tokens"`
}

// reserve takes tokens before they are spent; limit 0 is none. It returns the day,
// to which settle must refer.
//
// Errors: abi.ErrLimit.
func (b *budget) reserve(p purse, tokens, limit int) (day string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.today()
	if limit > 0 && b.spent[p]+tokens > limit {
		return "", fmt.Errorf("%w: %d LLM tokens today and %d for this request, limit %d in a project (llm.budget.dailyTokens)",
			abi.ErrLimit, b.spent[p], tokens, limit)
	}
	b.spent[p] += tokens
	b.changed()
	return b.day, nil
}

// today begins a new day; the caller holds the lock.
func (b *budget) today() {
	if now := time.Now().UTC().Format(time.DateOnly); b.day != now {
		b.day, b.spent = now, make(map[purse]int)
	}
}

// settle replaces what was reserved by what was spent.
func (b *budget) settle(p purse, day string, reserved, spent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.day == day {
		b.spent[p] += spent - reserved
		b.changed()
	}
}

// list is what was spent today, most first.
func (b *budget) list() []Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.today()
	return b.rows()
}

// rows is list for callers that hold the lock.
func (b *budget) rows() (list []Spent) {
	for p, tokens := range b.spent {
		list = append(list, Spent{Project: p.project, Module: p.module, Tokens: tokens})
	}
	slices.SortFunc(list, func(x, y Spent) int {
		return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Project, y.Project), cmp.Compare(x.Module, y.Module))
	})
	return list
}
