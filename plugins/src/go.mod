module github.com/mcpctl/mcpctl/plugins/src

go 1.24

require github.com/mcpctl/mcpctl/sdk-go v0.0.0

require github.com/pelletier/go-toml/v2 v2.4.3 // tests only: the oracle of scan/settings

require github.com/yuin/goldmark v1.7.13 // tests only: the oracle of scan/markdown

require github.com/goccy/go-yaml v1.19.2 // tests only: the oracle of scan/yaml

replace github.com/mcpctl/mcpctl/sdk-go => ../../sdk-go
