package jsonedit

import "github.com/mcpctl/mcpctl/host/jsonspan"

// Members calls yield for each member of the object raw, until it returns false. The
// key is as it is spelled, including the quotes.
func Members(raw []byte, yield func(key []byte, m jsonspan.Member) bool) {
	membersAt(raw, jsonspan.SkipBlank(raw, 0), yield)
}

// membersAt is Members for the object at raw[start].
func membersAt(raw []byte, start int, yield func(key []byte, m jsonspan.Member) bool) {
	jsonspan.Children(raw, start, func(m jsonspan.Member) bool {
		return m.KeyEnd == 0 || yield(raw[m.KeyStart:m.KeyEnd], m)
	})
}

// Elements calls yield for each element of the array at m.
func Elements(raw []byte, m jsonspan.Member, yield func(m jsonspan.Member)) {
	if m.End == 0 || jsonspan.KindAt(raw, m.Start) != jsonspan.Array {
		return
	}
	jsonspan.Children(raw, m.Start, func(e jsonspan.Member) bool {
		yield(e)
		return true
	})
}

// Member returns a member of the object raw; of duplicates the last one, which common
// parsers use. If there is none, the returned Member has length 0.
func Member(raw []byte, name string) jsonspan.Member {
	return MemberAt(raw, jsonspan.SkipBlank(raw, 0), name)
}

// MemberAt is Member for the object at raw[start].
func MemberAt(raw []byte, start int, name string) (found jsonspan.Member) {
	membersAt(raw, start, func(key []byte, m jsonspan.Member) bool {
		if jsonspan.KeyIs(key, name) {
			found = m
		}
		return true
	})
	return found
}

// Has reports whether the object raw has a member of this name.
func Has(raw []byte, name string) bool { return Member(raw, name).End > 0 }

// Text returns the string at m. It returns "" for a value of another kind and for a
// string that is no valid text (a lone surrogate).
func Text(raw []byte, m jsonspan.Member) string {
	if jsonspan.KindAt(raw, m.Start) != jsonspan.String || m.End == 0 {
		return ""
	}
	text, err := jsonspan.Unquote(raw[m.Start:m.End])
	if err != nil {
		return ""
	}
	return string(text)
}

// MemberText returns the string that a member of the object raw holds, like Text.
func MemberText(raw []byte, name string) string { return Text(raw, Member(raw, name)) }

// KeyText decodes a key as it is spelled.
func KeyText(key []byte) string {
	text, _ := jsonspan.Unquote(key)
	return string(text)
}
