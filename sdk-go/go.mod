module github.com/mcpctl/mcpctl/sdk-go

go 1.24
