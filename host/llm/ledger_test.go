package llm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// keeping returns a Layer with a ledger.
func keeping(file string) func(*Options) {
	return func(o *Options) { o.Ledger = file }
}

// The tokens that a daemon has used count for the next one on the same day, whether it
// was closed or killed. The ledger contains no secret.
func TestBudgetSurvivesRestart(t *testing.T) {
	section := fakes("answers: [{answer: ok}]") + "  budget: {dailyTokens: 240}\n"
	spend := func(t *testing.T, r *rig, text string) error {
		q := ask(text)
		q.MaxTokens = 150
		_, err := r.get(t.Context(), q)
		return err
	}
	for _, c := range []struct {
		name   string
		killed bool
		later  time.Duration
		left   bool // the whole budget is available
	}{
		{"closed", false, 0, false},
		{"killed a while after the request", true, 0, false},
		{"the next day", false, 24 * time.Hour, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "spent.json")
			first := open(t, section, keeping(file))
			if err := spend(t, first, strings.Repeat("many words ", 40)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("the ledger is written with each request")
			}
			if c.killed {
				time.Sleep(saveAfter + time.Second) // virtual
			} else if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(c.later) // virtual
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			noCanary(t, string(text))
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			second := open(t, section, keeping(file))
			err = spend(t, second, strings.Repeat("other words ", 40))
			if got := err == nil; got != c.left || !c.left && !errors.Is(err, abi.ErrLimit) {
				t.Errorf("%s: %v after %s", c.name, err, text)
			}
			if spent, limit := second.Budget(); len(spent) != 1 || spent[0].Tokens < 50 || spent[0].Project != "home" || limit != 240 {
				t.Errorf("%s: spent %+v of %d", c.name, spent, limit)
			}
		})
	}
}

// An invalid ledger is ignored and replaced.
func TestInvalidLedgerIsReplaced(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"day":"2026-`, "another form": `[1]`, "negative": `{"day":"2000-01-01","spent":[{"project":"home","module":"mod","tokens":-5000}]}`,
		"huge": `{"day":"` + strings.Repeat("x", 2*maxLedger) + `"}`,
	} {
		synctest.Test(t, func(t *testing.T) { // the time starts at 2000-01-01
			file := filepath.Join(t.TempDir(), "spent.json")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := open(t, fakes("answers: [{answer: ok}]"), keeping(file))
			if spent, _ := r.Budget(); len(spent) > 1 || len(spent) == 1 && spent[0].Tokens != 0 {
				t.Errorf("%s: spent %+v", name, spent)
			}
			if _, err := r.get(t.Context(), ask("the text")); err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			if l, err := readLedger(file); err != nil || len(l.Spent) != 1 || l.Spent[0].Tokens == 0 {
				t.Errorf("%s: %+v, %v", name, l, err)
			}
		})
	}
}
