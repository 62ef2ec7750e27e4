package config

import (
	"slices"
	"strings"
)

// setting is one field of the file with the line that it is on.
type setting struct {
	line   int    // from 0
	field  string // limits.time, however it is nested
	value  string // as written
	indent string // of its line
	group  string // that its line is below; "" at the top
	flow   bool   // inside {...} on its line
}

// fieldText returns a field as it is written in place of the setting.
func (s setting) fieldText(field string) string {
	return s.indent + strings.TrimPrefix(field, s.group+".")
}

// block is the line "limits:". Its settings are indented below it.
type block struct {
	indent int
	group  string
}

// settingsIn reads the fields of the file: "limits.time: 2s", "limits: {time: 2s}", and
// "time: 2s" indented below "limits:". Groups may be nested.
func settingsIn(text string) (list []setting, faults faults) {
	var blocks []block
	for i, raw := range strings.Split(text, "\n") {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line == "---" {
			continue
		}
		field, value, ok := strings.Cut(line, ":")
		if !ok {
			faults.add(atLine(i, invalid("want field: value")))
			continue
		}
		s := setting{line: i, value: strings.TrimSpace(value), indent: raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]}
		for len(blocks) > 0 && blocks[len(blocks)-1].indent >= len(s.indent) {
			blocks = blocks[:len(blocks)-1]
		}
		if len(blocks) > 0 {
			s.group = blocks[len(blocks)-1].group
		}
		s.field = fieldBelow(s.group, strings.TrimSpace(field))
		switch {
		case isGroup(s.field) && (s.value == "" || s.value[0] == '#'):
			blocks = append(blocks, block{len(s.indent), s.field})
		case isGroup(s.field) && s.value[0] == '{':
			inner, err := s.flowSettings()
			if err != nil {
				faults.add(atLine(i, err))
			}
			list = append(list, inner...)
		default:
			list = append(list, s)
		}
	}
	return list, faults
}

func fieldBelow(group, field string) string {
	if group == "" {
		return field
	}
	return group + "." + field
}

// isGroup reports whether settings are called name.something.
func isGroup(name string) bool {
	return name == StageLevels || slices.ContainsFunc(Keys, func(k Key) bool { return strings.HasPrefix(k.Field(), name+".") })
}

// flowSettings parses a line with a value such as "{time: 2s, memory: 64MiB}".
func (s setting) flowSettings() ([]setting, error) {
	list, rest, err := s.flowMapping(nil, s.field, s.value)
	if rest = strings.TrimSpace(rest); err == nil && rest != "" && rest[0] != '#' {
		err = invalid("%s: want {field: value, ...} on one line", s.field)
	}
	return list, err
}

// flowMapping appends the settings of a mapping in braces, and returns what follows it. No
// value of a group holds a comma or a brace.
func (s setting) flowMapping(list []setting, group, text string) (_ []setting, rest string, err error) {
	for text = text[1:]; ; {
		text = strings.TrimLeft(text, ", \t")
		if after, closed := strings.CutPrefix(text, "}"); closed {
			return list, after, nil
		}
		end := strings.IndexAny(text, ":,}")
		switch {
		case end < 0:
			return nil, "", invalid("%s: want {field: value, ...} on one line", group)
		case text[end] != ':':
			return nil, "", invalid("%s: want field: value, got %.40q", group, strings.TrimSpace(text[:end]))
		}
		field := group + "." + strings.TrimSpace(text[:end])
		text = strings.TrimLeft(text[end+1:], " \t")
		if isGroup(field) && strings.HasPrefix(text, "{") {
			if list, text, err = s.flowMapping(list, field, text); err != nil {
				return nil, "", err
			}
			continue
		}
		if end = strings.IndexAny(text, ",}"); end < 0 {
			return nil, "", invalid("%s: want {field: value, ...} on one line", group)
		}
		list = append(list, setting{line: s.line, field: field, value: strings.TrimSpace(text[:end]), indent: s.indent, group: s.group, flow: true})
		text = text[end:]
	}
}
