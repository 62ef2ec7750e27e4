package importer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
)

// preview describes a server to a user who decides whether to import it, as labels and texts: the command or the address
// with references in place of credentials, the working directory, the names of references,
// variables and headers, and remarks.
func (s server) preview() (rows [][2]string) {
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, text})
		}
	}
	names := func(m map[string]string) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }
	add("runs", s.commandLine())
	add("url", s.spec.URL)
	add("in", s.directory())
	add("secrets", strings.Join(slices.Sorted(slices.Values(s.hidden)), " "))
	add("env", names(s.spec.Env))
	add("headers", names(s.spec.Headers))
	for _, remark := range slices.Concat(s.remarks, s.addressRemarks()) {
		add("note", remark)
	}
	return rows
}

// directory returns the working directory of the command.
func (s server) directory() string {
	if s.spec.Cwd == clients.ClientDir {
		return "the directory of the client"
	}
	return s.spec.Cwd
}

// commandLine returns the command with its arguments. An argument with blanks is quoted, so
// that it does not look like several.
func (s server) commandLine() string {
	if s.spec.Command == "" {
		return ""
	}
	words := append([]string{s.spec.Command}, s.spec.Args...)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n'\"") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// isAddress matches an argument that is an address, for example that of mcp-remote.
var isAddress = regexp.MustCompile(`^(?i:https?|wss?)://`)

// addressRemarks returns a remark for each credential and for each variable in the address,
// or in the addresses among the arguments. Servers, proxies and logs on the way get an
// address as a whole, and a file from a stranger can send any variable to any host.
func (s server) addressRemarks() (remarks []string) {
	if s.spec.UserInfo {
		remarks = append(remarks, "the address contained a user or password, which is sent as an Authorization header instead")
	}
	type pair struct{ plain, now string }
	addresses := []pair{{s.plain.URL, s.spec.URL}}
	for i, arg := range s.spec.Args {
		if isAddress.MatchString(arg) {
			addresses = append(addresses, pair{s.plain.Args[i], arg})
		}
	}
	for _, a := range addresses {
		for _, name := range variablesIn(a.now) {
			if slices.Contains(variablesIn(a.plain), name) {
				remarks = append(remarks, fmt.Sprintf("the address contains the variable %s: its value is sent to the host, or decides which host that is", name))
			} else {
				remarks = append(remarks, fmt.Sprintf("the address contains a credential, now ${%s}: hosts and proxies write addresses to logs; use a header if the server accepts one", name))
			}
		}
	}
	return remarks
}

// reference matches a reference to a variable, or an escaped one.
var reference = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// variablesIn returns the names of the variables that a text refers to.
func variablesIn(text string) (names []string) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[0], "$$") && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
