module github.com/mcpctl/mcpctl/examples

go 1.24
