package proxy

import (
	"net/http"
	"net/url"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// ClientDirHeader carries the working directory of a client on this machine, escaped
// like the path of a URL. `mcpctl mcp` sends it with initialize. A server for clients
// that may not choose a directory must remove it from their requests.
const ClientDirHeader = "Mcpctl-Client-Cwd"

// clientDir returns the directory of the client, "" if it sent none. Upstreams decides
// whether it may be used.
func clientDir(r *http.Request) (string, error) {
	dir, err := url.PathUnescape(r.Header.Get(ClientDirHeader))
	if err != nil {
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "header %s is not an escaped path", ClientDirHeader)
	}
	return dir, nil
}
