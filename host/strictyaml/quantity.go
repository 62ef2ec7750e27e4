package strictyaml

import (
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration in the notation of YAML files: 60s, 1m30s, 0s.
type Duration time.Duration

// String returns the shortest form: 1m, not 1m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Milliseconds returns the duration in milliseconds.
func (d Duration) Milliseconds() int64 { return time.Duration(d).Milliseconds() }

// MarshalText returns String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// maxDuration is the longest duration that a file may set.
const maxDuration = 30 * 24 * time.Hour

// Duration returns a duration, or absent if it is absent or invalid.
func (m *Mapping) Duration(name string, absent time.Duration) Duration {
	v, ok := m.Get(name)
	if !ok {
		return Duration(absent)
	}
	d, err := time.ParseDuration(v.Text)
	if err != nil || v.Type != String && v.Text != "0" {
		e := m.Fail(v.At, m.path+name, "is %s, want a time such as 60s or 5m", v)
		if v.Type == Number {
			e.Cause = "a number needs its unit: " + v.Text + "s"
		}
		return Duration(absent)
	}
	if d < 0 || d > maxDuration {
		m.Fail(v.At, m.path+name, "is %s, want 0s to %s", v.Text, Duration(maxDuration))
		return Duration(absent)
	}
	return Duration(d)
}

// Bytes is a size in bytes. Its notation in files is 65536, 64KiB, 16MiB or 1GiB.
type Bytes int64

var byteUnits = []struct {
	suffix string
	size   Bytes
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String returns the size in the largest unit that leaves no remainder.
func (b Bytes) String() string {
	for _, u := range byteUnits {
		if b != 0 && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MarshalText returns String.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// maxBytes is the largest size that a file may set.
const maxBytes Bytes = 1 << 40

// ParseBytes parses a size such as 65536, 64KiB or 1GiB, up to 1 TiB.
func ParseBytes(s string) (Bytes, bool) {
	unit := Bytes(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > int64(maxBytes/unit) {
		return 0, false
	}
	return Bytes(n) * unit, true
}

// Bytes returns a size, or 0 if it is absent or invalid.
func (m *Mapping) Bytes(name string) Bytes {
	v, ok := m.Get(name)
	if !ok {
		return 0
	}
	n, ok := ParseBytes(v.Text)
	if !ok || v.Type != String && v.Type != Number {
		m.Fail(v.At, m.path+name, "is %s, want bytes such as 65536, 64KiB or 16MiB", v)
	}
	return n
}
