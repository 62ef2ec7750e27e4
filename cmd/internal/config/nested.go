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
	indent string // of a field below its group
	flow   bool   // inside {...} on the line of its group
}

// settingsIn reads the fields of the file: "limits.time: 2s", "limits: {time: 2s}", and
// "time: 2s" indented below "limits:".
func settingsIn(text string) ([]setting, error) {
	var list []setting
	group := ""
	for i, raw := range strings.Split(text, "\n") {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line == "---" {
			continue
		}
		field, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, at(i, invalid("want field: value"))
		}
		field, value = strings.TrimSpace(field), strings.TrimSpace(value)
		indent := raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]
		if indent == "" {
			group = ""
		}
		switch {
		case group != "" && indent != "":
			list = append(list, setting{line: i, field: group + "." + field, value: value, indent: indent})
		case isGroup(field) && (value == "" || value[0] == '#'):
			group = field
		case isGroup(field) && value[0] == '{':
			inner, err := flowSettings(field, value)
			if err != nil {
				return nil, at(i, err)
			}
			for _, s := range inner {
				s.line = i
				list = append(list, s)
			}
		default:
			list = append(list, setting{line: i, field: field, value: value})
		}
	}
	return list, nil
}

// isGroup reports whether settings are called name.something.
func isGroup(name string) bool {
	return slices.ContainsFunc(Keys, func(k Key) bool { return strings.HasPrefix(k.Field(), name+".") })
}

// flowSettings reads "{time: 2s, memory: 64MiB}". No value of a group holds a comma.
func flowSettings(group, text string) ([]setting, error) {
	inner, rest, closed := strings.Cut(text[1:], "}")
	if rest = strings.TrimSpace(rest); !closed || rest != "" && rest[0] != '#' {
		return nil, invalid("%s: want {field: value, ...} on one line", group)
	}
	var list []setting
	for pair := range strings.SplitSeq(inner, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		field, value, ok := strings.Cut(pair, ":")
		if !ok {
			return nil, invalid("%s: want field: value, got %.40q", group, strings.TrimSpace(pair))
		}
		list = append(list, setting{field: group + "." + strings.TrimSpace(field), value: strings.TrimSpace(value), flow: true})
	}
	return list, nil
}
