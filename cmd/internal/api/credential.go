package api

import (
	"fmt"
	"io"
	"log/slog"
)

// Credential is a password or a token in a request or an answer. It is encoded to JSON as
// its text, and printed as *** by fmt and slog.
type Credential string

// Format prints *** for every verb and flag.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// LogValue returns ***.
func (c Credential) LogValue() slog.Value { return slog.StringValue("***") }
