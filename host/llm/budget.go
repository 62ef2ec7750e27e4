package llm

import (
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// budget counts tokens by module and project of one day (UTC). It begins anew
// with the process. Safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	day   string
	spent map[purse]int
}

// purse is who spends.
type purse struct{ module, project string }

// reserve takes tokens before they are spent; limit 0 is none. It returns the day,
// to which settle must refer.
//
// Errors: abi.ErrLimit.
func (b *budget) reserve(p purse, tokens, limit int) (day string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now().UTC(); b.day != now.Format(time.DateOnly) {
		b.day, b.spent = now.Format(time.DateOnly), make(map[purse]int)
	}
	if limit > 0 && b.spent[p]+tokens > limit {
		return "", fmt.Errorf("%w: %d LLM tokens today and %d for this request, limit %d in a project (llm.budget.dailyTokens)",
			abi.ErrLimit, b.spent[p], tokens, limit)
	}
	b.spent[p] += tokens
	return b.day, nil
}

// settle replaces what was reserved by what was spent.
func (b *budget) settle(p purse, day string, reserved, spent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.day == day {
		b.spent[p] += spent - reserved
	}
}
