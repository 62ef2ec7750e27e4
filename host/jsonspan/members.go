package jsonspan

// ScanMembers reads the object that starts at b[at], white space before it
// skipped, and checks the grammar of what lies between its values. For each
// member it calls value with the key's literal (quotes included) and the offset
// where the value starts; value returns where it ends, as Scan and ValueEnd do,
// which lets each member have rules of its own in one pass.
//
// Errors: *SyntaxError, or what value returned.
func ScanMembers(b []byte, at int, value func(key []byte, at int) (end int, err error)) (end int, err error) {
	i := SkipBlank(b, max(at, 0))
	if KindAt(b, i) != Object {
		return 0, fault(b, i, "want '{'")
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
			return 0, fault(b, i, "want ',' or '}'")
		}
		i = SkipBlank(b, i+1)
	}
}
