package main

import (
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestExamples(t *testing.T) { stagetest.RunArchives(t, "toml", "testdata/*.txtar") }
