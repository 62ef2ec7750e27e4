package detect

import "strings"

// Language is the language that the opening mark of a fence names, as it is written
// there; empty if it names none.
func Language(info string) string {
	if end := strings.IndexAny(info, " \t{,:"); end >= 0 {
		info = info[:end]
	}
	if len(info) > 20 {
		return ""
	}
	return info
}

// Extension is that of the files of a language which is called otherwise: to know
// it at once saves the proof of it, and of all other types, from guessing.
func Extension(language string) string {
	switch strings.ToLower(language) {
	case "javascript":
		return "js"
	case "typescript":
		return "ts"
	case "python", "python3":
		return "py"
	case "golang":
		return "go"
	case "csharp", "c#":
		return "cs"
	case "rust":
		return "rs"
	case "kotlin":
		return "kt"
	case "ruby":
		return "rb"
	case "shell":
		return "sh"
	case "powershell":
		return "ps1"
	case "protobuf":
		return "proto"
	case "elixir":
		return "ex"
	case "perl":
		return "pl"
	}
	return language
}
