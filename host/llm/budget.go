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

// budget counts tokens by module and project for one day (UTC). Its ledger keeps them
// when the daemon restarts. Safe for concurrent use.
type budget struct {
	ledger string // file; empty: no ledger
	log    *slog.Logger

	mu    sync.Mutex
	day   string
	spent map[budgetKey]int
	save  *time.Timer // pending; nil if the ledger is up to date

	writing sync.Mutex // of the ledger
}

// budgetKey identifies a module in a project.
type budgetKey struct{ module, project string }

// Spent is the number of tokens that one module has used today (UTC) in one project,
// including the maximum of its requests in progress.
type Spent struct {
	Project string `json:"project"`
	Module  string `json:"module"` // hash, or the package of mcpctl that sent the request
	Tokens  int    `json:"tokens"`
}

// reserve takes tokens before they are spent; a limit of 0 is unlimited. It returns the
// day, which must be passed to settle.
//
// It returns abi.ErrLimit.
func (b *budget) reserve(p budgetKey, tokens, limit int) (day string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.today()
	if limit > 0 && b.spent[p]+tokens > limit {
		return "", fmt.Errorf("%w: %d LLM tokens today and %d for this request, limit %d in a project (llm.budget.dailyTokens)",
			abi.ErrLimit, b.spent[p], tokens, limit)
	}
	b.spent[p] += tokens
	b.scheduleSave()
	return b.day, nil
}

// today starts a new day if necessary. The caller holds the lock.
func (b *budget) today() {
	if now := time.Now().UTC().Format(time.DateOnly); b.day != now {
		b.day, b.spent = now, make(map[budgetKey]int)
	}
}

// settle replaces reserved tokens by the tokens that were spent.
func (b *budget) settle(p budgetKey, day string, reserved, spent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.day == day {
		b.spent[p] += spent - reserved
		b.scheduleSave()
	}
}

// list returns the tokens spent today, highest first.
func (b *budget) list() []Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.today()
	return b.sortedRows()
}

// sortedRows is list with the lock held by the caller.
func (b *budget) sortedRows() (list []Spent) {
	for p, tokens := range b.spent {
		list = append(list, Spent{Project: p.project, Module: p.module, Tokens: tokens})
	}
	slices.SortFunc(list, func(x, y Spent) int {
		return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Project, y.Project), cmp.Compare(x.Module, y.Module))
	})
	return list
}
