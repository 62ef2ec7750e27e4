package upstream

import (
	"fmt"
	"io"
	"log/slog"
)

const hidden = "***"

// Secret is a value that prints as *** in every format: fmt, JSON, slog. The
// zero Secret is an empty one.
type Secret struct {
	// A pointer, because fmt reads unexported fields of others past Format: what
	// it then finds is an address.
	value *string
}

// NewSecret hides value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value, for the server that it belongs to and nobody else.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Format hides the value from every verb of fmt.
func (Secret) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, hidden) }

// String hides the value.
func (Secret) String() string { return hidden }

// MarshalText hides the value from JSON, as value and as key, and its kin.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the value from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
