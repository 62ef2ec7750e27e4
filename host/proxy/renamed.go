package proxy

// RenamedTool is a tool whose wire name ends in a hash.
type RenamedTool struct {
	Label string // server/tool
	Wire  string
	Long  bool // the name is too long; otherwise another tool or mcpctl has it
}

// RenamedTools lists the tools of a new session whose wire names end in a hash, in
// the order of servers and tools.
func RenamedTools(project string, bare bool, servers []string, tools map[string][]string) []RenamedTool {
	table := newNameTable(naming{project: project, bare: bare && len(servers) == 1, reserved: reservedNames}, nil)
	var renamed []RenamedTool
	for _, server := range servers {
		for _, name := range tools[server] {
			t := target{server, name}
			if _, listed := table.byName[t]; listed {
				continue
			}
			wanted := table.wanted(t)
			if wire := table.add(t); wire != wanted {
				renamed = append(renamed, RenamedTool{Label: t.label(), Wire: wire, Long: len(wanted) > table.budget})
			}
		}
	}
	return renamed
}

// WireName returns the name of a tool in a new session of a project, as clients show it,
// if no other tool has that name. For an empty tool it returns the common prefix of
// the names of the server's tools.
func WireName(project string, bare bool, server, tool string) string {
	return shown(newNameTable(naming{project: project, bare: bare, reserved: reservedNames}, nil).add(target{server, tool}))
}
