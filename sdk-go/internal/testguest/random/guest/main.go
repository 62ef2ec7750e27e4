// Guest is package random as a module.
package main

import _ "github.com/mcpctl/mcpctl/sdk-go/internal/testguest/random"

func main() {}
