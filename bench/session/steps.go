package main

// script is the session of an agent with the task: "Make the text of blank table cells an option of
// the table extension, with a test, and note in the project's memory what you learned." The agent
// learns about the repository and the extension, changes it, breaks the build once, and checks and
// commits its work.
//
// A question is what the model wants to know before the call. A pattern is text that answers it,
// and look is a name or are words of the question that a model would search for. None of them was
// written for a result with mcpctl.
var script = []step{
	// What is this repository?
	{"which directories are there", "Bash", args{"command": "ls -la && git status --short | head", "description": "List the repository"},
		[]need{{`\bextension$`, ""}}},
	{"what has been changed lately", "Bash", args{"command": "git log --stat -5", "description": "Show recent commits"},
		[]need{{`extension/table\.go\s+\|\s+555`, "table.go"}}},
	{"which Go files are there", "Glob", args{"pattern": "**/*.go"},
		[]need{{`extension/table\.go`, "table.go"}}},
	{"which option do tables have", "Read", args{"file_path": "README.md"},
		[]need{{"extension\\.WithTableCellAlignMethod`.*indicates how", "table"}}},
	{"what do we remember of the alignment of cells", "memory/read_graph", nil,
		[]need{{`TableCellAlignMethod indicates how are table cells aligned`, "TableCellAlignMethod"}}},
	{"how large are the files", "Bash", args{"command": "find . -name '*.go' -not -path './_*' | xargs wc -l | sort -rn", "description": "Count lines"},
		[]need{{`555 \./extension/table\.go`, "table.go"}}},
	{"which files and imports does the package of table nodes have", "Bash", args{"command": "go list -json ./...", "description": "List packages"},
		[]need{{`"Doc": "Package ast defines AST nodes that represents extension's elements"`, "extension/ast"}}},

	// How does the table extension work?
	{"how are cells parsed and rendered, and how is an option set", "Read", args{"file_path": "extension/table.go"}, []need{
		{`hasBacktick := false`, "parseRow"},
		{`html\.RenderAttributes\(w, n, TableTdCellAttributeFilter\)`, "renderTableCell"},
		{`return &withTableCellAlignMethod\{`, "WithTableCellAlignMethod"},
		{`case optTableCellAlignMethod:`, "TableConfig.SetOption"},
	}},
	{"where is TableConfig used", "Grep", args{"pattern": "TableConfig", "output_mode": "content", "-n": true},
		[]need{{`extension/table\.go:\d+:type TableConfig struct`, "type TableConfig"}}},
	{"what can a node do with its children", "Bash", args{"command": "go doc -all ./ast", "description": "Documentation of the syntax tree"},
		[]need{{`HasChildren\(\) bool`, "HasChildren"}}},
	{"what does a table cell contain", "Bash", args{"command": "go doc -all ./extension/ast", "description": "Documentation of table nodes"},
		[]need{{`type TableCell struct \{`, "TableCell"}}},
	{"in which order does the parser call transformers", "Read", args{"file_path": "parser/parser.go"}, []need{
		{`for _, at := range p\.astTransformers`, "parser.Parse"},
		{`for _, pt := range p\.paragraphTransformers`, "transformParagraph"},
	}},
	{"how does the HTML renderer write text, and which functions does it register", "Read", args{"file_path": "renderer/html/html.go"}, []need{
		{`r\.Writer\.RawWrite\(w, segment\.Value\(source\)\)`, "renderText"},
		{`reg\.Register\(ast\.KindText, r\.renderText\)`, "RegisterFuncs"},
	}},
	{"how do other extensions define options of text", "Bash", args{"command": "cat extension/footnote.go", "description": "Read the footnote extension"}, []need{
		{`return &withFootnoteIDPrefix\{\[\]byte\(a\)\}`, "WithFootnoteIDPrefix"},
		{`case optFootnoteIDPrefix:`, "FootnoteConfig.SetOption"},
	}},
	{"how does the typographer replace text; all of it, because cells contain it", "Read", args{"file_path": "extension/typographer.go"},
		[]need{{`util\.Prioritized\(NewTypographerParser\(e\.options\.\.\.\), 9999\)`, wholeText}}},
	{"where are options set", "Grep", args{"pattern": `SetOption\(|SetConfig\(|SetTableOption\(`, "output_mode": "content", "-n": true},
		[]need{{`extension/table\.go:\d+:func \(o \*withTableCellAlignMethod\) SetTableOption`, "SetTableOption"}}},
	{"is there a function for blank text", "Bash", args{"command": "grep -rn 'IsBlank' --include='*.go' .", "description": "Find checks for blank text"},
		[]need{{`util/util\.go:\d+:func IsBlank\(`, "func IsBlank"}}},
	{"which function removes space", "Bash", args{"command": "go doc -all ./util", "description": "Documentation of util"},
		[]need{{`TrimRightSpace returns a subslice`, "TrimRightSpace"}}},
	{"which method removes the space of a segment", "Bash", args{"command": "go doc -all ./text", "description": "Documentation of text"},
		[]need{{`TrimRightSpace returns a new segment`, "TrimRightSpace"}}},

	// What do the tests expect?
	{"how do tests set the alignment", "Read", args{"file_path": "extension/table_test.go"},
		[]need{{`WithTableCellAlignMethod\(TableCellAlignStyle\)`, "TestTableWithAlignStyle"}}},
	{"which HTML does the specification expect for blank lines", "Read", args{"file_path": "_test/spec.json"},
		[]need{{`"start_line": 3632,`, "Blank lines"}}},
	{"which characters is &nbsp;", "Grep", args{"pattern": `"nbsp"`, "output_mode": "content", "-n": true},
		[]need{{`"0xc2", "0xa0"`, "nbsp"}}},
	{"do the tests of extensions pass before the change", "Bash", args{"command": "go test -count=1 -v -skip Performance ./... 2>&1", "description": "Run all tests"},
		[]need{{`ok\s+github\.com/yuin/goldmark/extension\s+\d`, "goldmark/extension"}}},
	{"is the renderer of cells covered by tests", "Bash", args{"command": "go test -count=1 -coverprofile=cover.out -coverpkg=./... ./extension >/dev/null && go tool cover -func=cover.out && rm cover.out", "description": "Coverage by function"},
		[]need{{`extension/table\.go:\d+:\s+renderTableCell\s+\d`, "renderTableCell"}}},
	{"how do others document an option for empty values", "demo/read_guide", nil, []need{
		{"the client must define a default value for these fields", "Null Object Support"},
		{"it will add a `JsonNull` element", "serializeNulls"},
	}},
	{"what is said about synchronous work in the first part of a series on DataStore", "demo/get_news", nil,
		[]need{{`learn about performing synchronous work`, "DataStore best practices part 1"}}},
	{"what do we remember of the renderer of tables", "memory/search_nodes", args{"query": "TableHTMLRenderer"},
		[]need{{`TableHTMLRenderer\.RegisterFuncs`, "RegisterFuncs"}}},

	// The change.
	{"which lines exactly are to be changed", "Read", args{"file_path": "extension/table.go", "offset": 30, "limit": 90},
		[]need{{`func \(c \*TableConfig\) SetOption\(`, ""}}},
	{"add a field", "Edit", args{"file_path": "extension/table.go", "old_string": "\tTableCellAlignMethod TableCellAlignMethod\n}\n",
		"new_string": "\tTableCellAlignMethod TableCellAlignMethod\n\n\t// BlankCell is the text of a blank cell.\n\tBlankCell string\n}\n"},
		[]need{{`has been updated`, ""}}},
	{"add the option", "Edit", args{"file_path": "extension/table.go", "old_string": "const optTableCellAlignMethod ",
		"new_string": "const optBlankCell renderer.OptionName = \"TableBlankCell\"\n\ntype withBlankCell struct {\n\tvalue string\n}\n\nfunc (o *withBlankCell) SetConfig(c *renderer.Config) {\n\tc.Options[optBlankCell] = o.value\n}\n\n" +
			"func (o *withBlankCell) SetTableOption(c *TableConfig) {\n\tc.BlankCell = o.value\n}\n\n// WithBlankCell is a functional option that sets the text of blank cells.\nfunc WithBlankCell(text string) TableOption {\n\treturn &withBlankCell{txt}\n}\n\nconst optTableCellAlignMethod "},
		[]need{{`has been updated`, ""}}},
	{"does it build", "Bash", args{"command": "go build ./...", "description": "Build"},
		[]need{{`undefined: txt`, ""}}},
	{"correct the error", "Edit", args{"file_path": "extension/table.go", "old_string": "withBlankCell{txt}", "new_string": "withBlankCell{text}"},
		[]need{{`has been updated`, ""}}},
	{"is it correct now", "Bash", args{"command": "go vet ./extension && gofmt -l extension", "description": "Check"},
		[]need{{`no output`, ""}}},
	{"write a test", "Edit", args{"file_path": "extension/table_test.go", "old_string": "func TestTableFuzzedPanics(",
		"new_string": "func TestBlankCell(t *testing.T) {\n\tc := NewTableConfig()\n\tWithBlankCell(\"&nbsp;\").SetTableOption(&c)\n\tif c.BlankCell != \"&nbsp;\" {\n\t\tt.Errorf(\"got %q\", c.BlankCell)\n\t}\n}\n\nfunc TestTableFuzzedPanics("},
		[]need{{`has been updated`, ""}}},
	{"does the test pass", "Bash", args{"command": "go test -count=1 -v -run 'Table|BlankCell' ./extension 2>&1", "description": "Run the tests of tables"},
		[]need{{`--- PASS: TestBlankCell`, "TestBlankCell"}}},
	{"do the tests of extensions still pass", "Bash", args{"command": "go test -count=1 -v -skip Performance ./... 2>&1", "description": "Run all tests"},
		[]need{{`ok\s+github\.com/yuin/goldmark/extension\s+\d`, "goldmark/extension"}}},
	{"what does the documentation show of the option", "Bash", args{"command": "go doc -all ./extension", "description": "Documentation of the extensions"},
		[]need{{`WithBlankCell is a functional option`, "WithBlankCell"}}},
	{"what has changed", "Bash", args{"command": "git diff", "description": "Show the change"},
		[]need{{`\+func WithBlankCell\(`, "WithBlankCell"}}},
	{"remember the option", "memory/create_entities", args{"entities": []args{{"name": "extension.WithBlankCell", "entityType": "function", "observations": []string{"sets the text of blank cells; tested by TestBlankCell"}}}},
		[]need{{`WithBlankCell`, "WithBlankCell"}}},
	{"is it in memory", "memory/open_nodes", args{"names": []string{"extension.WithBlankCell", "extension.TableConfig"}},
		[]need{{`tested by TestBlankCell`, "WithBlankCell"}}},
	{"commit", "Bash", args{"command": "git add -A && git -c user.name=agent -c user.email=agent@example.com commit -m 'extension: add WithBlankCell' && git show --stat HEAD", "description": "Commit"},
		[]need{{`2 files changed`, ""}}},
}
