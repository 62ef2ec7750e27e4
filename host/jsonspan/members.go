package jsonspan

// ScanMembers scans the object at b[at], after optional white space, and checks the
// grammar except for the values. For each member it calls value with the literal of the
// key, quotes included, and the start of the value. value returns the end of the value, as
// Scan and ValueEnd do, so that each member can have its own rules in a single pass.
//
// Errors: *SyntaxError, or the error of value.
func ScanMembers(b []byte, at int, value func(key []byte, at int) (end int, err error)) (end int, err error) {
	i := SkipBlank(b, max(at, 0))
	if KindAt(b, i) != Object {
		return 0, newSyntaxError(b, i, "want '{'")
	}
	if i = SkipBlank(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	var s scanner
	for {
		colon, bad := s.key(b, i)
		if bad != nil {
			return 0, bad
		}
		if i, err = value(b[i:keyEnd(b, colon-1)], SkipBlank(b, colon)); err != nil {
			return 0, err
		}
		switch i = SkipBlank(b, i); {
		case i < len(b) && b[i] == '}':
			return i + 1, nil
		case i >= len(b) || b[i] != ',':
			return 0, newSyntaxError(b, i, "want ',' or '}'")
		}
		i = SkipBlank(b, i+1)
	}
}
