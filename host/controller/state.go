package controller

import "github.com/mcpctl/mcpctl/abi"

// state is the values of one role in one session. The zero value is empty. It is not
// safe for concurrent use.
type state struct {
	values map[string][]byte
	bytes  int // of keys and values
}

// check returns abi.ErrLimit if the changes would exceed the limits of the state. The
// guest's calls were checked too, but another hook may have changed the state while
// this one had released its turn.
func (s *state) check(changes map[string][]byte) error {
	keys, bytes := len(s.values), s.bytes
	for k, v := range changes {
		old, had := s.values[k]
		if had {
			keys, bytes = keys-1, bytes-len(k)-len(old)
		}
		if v != nil {
			keys, bytes = keys+1, bytes+len(k)+len(v)
		}
	}
	if bytes > abi.LimitStateBytes {
		return faultf(abi.ErrLimit, "leaves %d bytes of state (limit %d)", bytes, abi.LimitStateBytes)
	}
	if keys > abi.LimitStateKeys {
		return faultf(abi.ErrLimit, "leaves %d keys of state (limit %d)", keys, abi.LimitStateKeys)
	}
	return nil
}

// apply applies the changes; a nil value deletes its key.
func (s *state) apply(changes map[string][]byte) {
	if s.values == nil && len(changes) > 0 {
		s.values = make(map[string][]byte, len(changes))
	}
	for k, v := range changes {
		if old, had := s.values[k]; had {
			s.bytes -= len(k) + len(old)
			delete(s.values, k)
		}
		if v != nil {
			s.bytes += len(k) + len(v)
			s.values[k] = v
		}
	}
}
