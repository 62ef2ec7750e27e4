package stagetest

import "github.com/mcpctl/mcpctl/sdk-go/internal/raw"

// noSession answers the imports of sessions as the host does for a stage.
type noSession struct{}

func (noSession) StateGet(string) int32                         { return raw.CodeDenied }
func (noSession) StateSet(string, string) int32                 { return raw.CodeDenied }
func (noSession) StateDel(string) int32                         { return raw.CodeDenied }
func (noSession) Tools() int32                                  { return raw.CodeDenied }
func (noSession) ToolHide(string) int32                         { return raw.CodeDenied }
func (noSession) ToolPatch(string, string) int32                { return raw.CodeDenied }
func (noSession) ToolAdd(string) int32                          { return raw.CodeDenied }
func (noSession) Servers() int32                                { return raw.CodeDenied }
func (noSession) OutTo(int32) int32                             { return raw.CodeDenied }
func (noSession) OutKind(int32) int32                           { return raw.CodeDenied }
func (noSession) CallRewrite(string, int32, int32, int32) int32 { return raw.CodeDenied }
func (noSession) Notify(string, string) int32                   { return raw.CodeDenied }
func (noSession) Prompts() int32                                { return raw.CodeDenied }
func (noSession) PromptRecords() int32                          { return raw.CodeDenied }
func (noSession) PromptBody(string, int32) int32                { return raw.CodeDenied }
func (noSession) PromptPropose(string) int32                    { return raw.CodeDenied }
func (noSession) ContentOpen(string) int32                      { return raw.CodeDenied }
func (noSession) ContentMeta(string) int32                      { return raw.CodeDenied }
func (noSession) SectionRead(string, string) int32              { return raw.CodeDenied }
