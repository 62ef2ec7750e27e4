package upstream

import (
	"fmt"
	"io"
	"log/slog"
)

const hidden = "***"

// Secret is a value that prints as *** in every format: fmt, JSON, slog. The zero Secret
// is empty.
type Secret struct {
	// A pointer, because fmt prints unexported fields of other structs without
	// calling Format. It then prints an address.
	value *string
}

// NewSecret returns a Secret with a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value. Pass it only to the server that it belongs to.
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

// MarshalText hides the value from JSON and other encodings, as a value and as a key.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the value from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
