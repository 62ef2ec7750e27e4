package detect

import "strings"

// Language returns the language that the opening mark of a fence names, as written there, or "".
func Language(info string) string {
	if end := strings.IndexAny(info, " \t{,:"); end >= 0 {
		info = info[:end]
	}
	if len(info) > 20 {
		return ""
	}
	return info
}

// Extension returns the extension of the files of a language. It is the name of the language unless that
// differs.
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
	case "docker":
		return "dockerfile"
	case "gettext":
		return "po"
	}
	return language
}
