package web

import (
	"fmt"
)

// metrics writes figures in the text format of Prometheus.
func metrics(c *call) {
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, m := range []struct {
		name, kind, help string
		value            int64
	}{
		{"mcpd_store_version", "counter", "Version of the last change of the store.", c.Feed.Version()},
		{"mcpd_watchers", "gauge", "Open streams of changes.", c.watchers.Load()},
		{"mcpd_audit_dropped_total", "counter", "Audit entries that could not be written.", c.Audit.Dropped()},
	} {
		fmt.Fprintf(c.w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
}
