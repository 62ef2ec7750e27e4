package upstream

import (
	"fmt"
	"io"
	"log/slog"
)

const hidden = "***"

// Secret is a value that prints as *** in every format: fmt, JSON, slog. The
// server it belongs to gets string(s), nobody else.
type Secret string

// Format hides the value from every verb of fmt.
func (Secret) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, hidden) }

// String hides the value.
func (Secret) String() string { return hidden }

// MarshalText hides the value from JSON, as value and as key, and its kin.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the value from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
