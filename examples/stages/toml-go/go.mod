module toml

go 1.24

require github.com/mcpctl/mcpctl/sdk-go v0.0.0

replace github.com/mcpctl/mcpctl/sdk-go => ../../../sdk-go
