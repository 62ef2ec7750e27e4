package names

// RenamedTool is a tool whose wire name ends in a hash.
type RenamedTool struct {
	Label string // server/tool
	Wire  string
	Long  bool // the name is too long; otherwise another tool or mcpctl has it
}

// RenamedTools returns the tools of a new session whose wire names end in a hash, in
// the order of servers and tools.
func RenamedTools(project string, bare bool, servers []string, tools map[string][]string) []RenamedTool {
	table := NewTable(Naming{Project: project, Bare: bare && len(servers) == 1, Reserved: Reserved}, nil)
	var renamed []RenamedTool
	for _, server := range servers {
		for _, name := range tools[server] {
			t := Target{Server: server, Name: name}
			if table.Wire(t) != "" {
				continue
			}
			preferred := table.preferred(t)
			if wire := table.Add(t); wire != preferred {
				renamed = append(renamed, RenamedTool{Label: t.Label(), Wire: wire, Long: len(preferred) > table.budget})
			}
		}
	}
	return renamed
}

// WireName returns the name of a tool in a new session of a project, as clients show
// it, if no other tool has that name. For an empty tool it returns the common prefix
// of the names of the server's tools.
func WireName(project string, bare bool, server, tool string) string {
	table := NewTable(Naming{Project: project, Bare: bare, Reserved: Reserved}, nil)
	return Clean(table.Add(Target{Server: server, Name: tool}))
}
