package serve

// maxConnections returns the number of TCP connections.
func maxConnections() int { return 4096 }
