// The random controller as a guest.
package main

import _ "github.com/mcpctl/mcpctl/sdk-go/internal/testguest/randomhook"

func main() {}
