package imports

import "fmt"

// Trap ends a guest from inside an import: it is thrown as a panic, and returned as
// the error of the call into the guest.
type Trap struct {
	Text string
	Kind error // nil: abi.ErrGuest
}

func (t *Trap) Error() string { return t.Text }

// errGivenUp ends a guest whose run is over; the caller replaces it by the reason.
var errGivenUp = &Trap{Text: "guest trapped: run given up"}

// Exit ends a command from inside proc_exit, as a panic.
type Exit struct{ Status uint32 }

func (e *Exit) Error() string { return fmt.Sprintf("exited with status %d", e.Status) }
