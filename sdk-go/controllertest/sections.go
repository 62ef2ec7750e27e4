package controllertest

import "github.com/mcpctl/mcpctl/sdk-go/internal/raw"

// noSections answers the imports of stages.
type noSections struct{}

func (noSections) OutIndex(int32, int32, int32) int32                  { return raw.CodeUnsupported }
func (noSections) SectionAdd(int32, int32, int32, int32, string) int32 { return raw.CodeUnsupported }
func (noSections) SectionsAdd(int32, string, string) int32             { return raw.CodeUnsupported }
func (noSections) SectionTitle(int32, int32, int32, int32) int32       { return raw.CodeUnsupported }
func (noSections) SectionSummary(int32, int32, int32, int32) int32     { return raw.CodeUnsupported }
func (noSections) SectionID(int32, string) int32                       { return raw.CodeUnsupported }
func (noSections) SectionText(int32, int32) int32                      { return raw.CodeUnsupported }
