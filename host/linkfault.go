package host

// LinkFault says why the resource that a prompt links to cannot be read, in the words
// of its server: for those who run the daemon, and no client. It is nil for a link that
// is alive or was not looked at yet.
func (h *Host) LinkFault(target string) error { return h.prompts.links.Fault(target) }
