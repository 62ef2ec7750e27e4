package language

// indented lists the languages whose nesting is read from the indentation: by rule in
// Python, and by convention in the others, where following the convention is simpler
// than matching the words that open and close blocks.
var indented = []*Language{
	{
		Name: "python", Files: "py pyi pyw pyx bzl=starlark star=starlark", Interpreters: "python python2 python3 pypy",
		LineComments: []string{"#"}, Quotes: []Quote{longText, longMark, text, mark},
		Indented: true, Syntax: BracketLines | HashInWords | Docstrings, AfterName: "(:[", NestedFunctions: true, Attributes: []string{"@"}, Continue: "else elif except finally",
		Modify:  "async",
		Define:  "def class=class",
		Control: "import from if for while try with return raise pass assert yield del global nonlocal break continue lambda print self await match",
	},
	{
		Name: "ruby", Files: "rb rake gemspec ru podspec", Interpreters: "ruby",
		LineComments: []string{"#"}, BlockComment: [2]string{"\n=begin", "\n=end"}, Quotes: []Quote{text, mark}, Syntax: Heredocs | Regexes,
		Indented: true, NestedFunctions: true, NameBytes: "?!.@", Continue: "end else elsif when in rescue ensure then }",
		Define:      "def class=class module=space",
		DefineCalls: "describe=space RSpec.describe=space context=space it test should specify",
		Control:     "require require_relative include extend if unless while until case return yield raise begin attr_reader attr_accessor attr_writer private protected public puts expect let before after raise alias loop",
	},
	{
		Name: "lua", Files: "lua", Interpreters: "lua luajit",
		LineComments: []string{"--"}, Quotes: []Quote{text, mark}, Syntax: LongBrackets, AfterName: "(",
		Indented: true, NestedFunctions: true, AssignedFunctions: true, NameBytes: ".:", Continue: "end else elseif until then do",
		Modify:  "local",
		Define:  "function",
		Control: "if for while repeat return break require",
	},
	{
		Name: "shell", Files: "sh bash zsh=zsh ksh fish=fish zsh-theme=zsh bats", Interpreters: "sh bash zsh ksh dash ash fish",
		LineComments: []string{"#"}, Quotes: []Quote{{`"`, `"`, '\\', true}, {"'", "'", 0, true}}, Syntax: Heredocs,
		Indented: true, NameBytes: "-.:@", Continue: "fi done esac then else elif do end { }", BareFunctions: true,
		Define:  "function",
		Control: "if for while until case return exit echo export local set source alias cd printf shift trap eval exec readonly declare typeset unset test sudo autoload zstyle compdef bindkey setopt zle . [ [[",
	},
	{
		Name: "sql", Files: "sql",
		LineComments: []string{"--"}, BlockComment: stars, Quotes: []Quote{plainMark, text}, Syntax: DollarQuotes | BracketLines | SemicolonEnds,
		Indented: true, FoldCase: true, NameBytes: ".$#", Continue: "end begin as go language returns from where values group order having set and or left right inner join on union into using",
		Modify:  "create or replace temp temporary unlogged materialized unique global local if not exists definer recursive external virtual clustered nonclustered",
		Define:  "table=table view=table index=table function=table procedure=table trigger=table type=table schema=table database=table sequence=table domain=table extension=table",
		Control: "alter drop select insert update delete comment grant revoke declare exec execute commit rollback start lock unlock use with call copy analyze vacuum explain truncate merge if print",
	},
	{
		Name: "tcl", Files: "tcl tk", Interpreters: "tclsh wish expect",
		LineComments: []string{"#"}, Indented: true, NameBytes: ":-.", Continue: "} else elseif",
		Define:  "proc method test=value namespace=space",
		Control: "set if for foreach while switch return puts package source global variable upvar expr proc namespace catch error incr lappend tags start_server assert_equal assert",
	},
	{
		Name: "perl", Files: "pl pm", Interpreters: "perl",
		LineComments: []string{"#"}, Quotes: []Quote{text, mark}, Syntax: Heredocs | SemicolonEnds,
		Indented: true, NameBytes: ":", Continue: "} else elsif )",
		Define:  "sub package=value",
		Control: "use my our local if unless for foreach while until return die print require push shift",
	},
	{
		Name: "haskell", Files: "hs", ByNameOnly: true,
		LineComments: []string{"--"}, BlockComment: [2]string{"{-", "-}"}, NestedComments: true, Quotes: []Quote{text}, Syntax: Characters | Equations,
		Indented: true, NameBytes: "'.", Continue: "where",
		Define:  "data=record type=record newtype=record class=class instance=impl",
		Control: "module import infixl infixr infix deriving foreign pattern default",
	},
	{
		Name: "make", Files: "mk makefile gnumakefile", ByNameOnly: true,
		LineComments: []string{"#"}, Syntax: Targets, Indented: true, NameBytes: "-./$%",
		Continue: "endif else endef", Define: "define=value",
		Control: "include -include sinclude ifeq ifneq ifdef ifndef export unexport override vpath .PHONY",
	},
	{
		Name: "dockerfile", Files: "dockerfile containerfile", ByNameOnly: true,
		LineComments: []string{"#"}, Syntax: UntilNext, Indented: true, FoldCase: true, NameBytes: "-./:$",
		Define:  "from=table",
		Control: "run copy add env arg workdir cmd entrypoint expose label user volume shell onbuild healthcheck stopsignal",
	},
	{
		Name: "elixir", Files: "ex exs",
		LineComments: []string{"#"}, Quotes: []Quote{longText, text}, Indented: true, NestedFunctions: true, NameBytes: ".?!", Attributes: []string{"@doc", "@spec", "@impl", "@since", "@deprecated", "@typedoc"}, Continue: "end else rescue after catch",
		Define:      "def defp defmacro defmodule=class defprotocol=class defimpl=class",
		DefineCalls: "describe=space test",
		Control:     "use import alias require if case cond with for",
	},
}
