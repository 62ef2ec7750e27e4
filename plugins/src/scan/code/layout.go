package code

// byLayout are the languages whose programs are nested as they are indented: by
// rule, or because everybody writes them so, which is simpler to follow than
// their words.
var byLayout = []*language{
	{
		name: "python", files: "py pyi pyw pyx bzl=starlark star=starlark", runs: "python python2 python3 pypy",
		comment: []string{"#"}, quotes: []quote{longText, longMark, text, mark},
		layout: true, syntax: brackets | hashes | docstrings, after: "(:[", inner: true, attrs: []string{"@"}, middle: "else elif except finally",
		modify:  "async",
		define:  "def class=class",
		control: "import from if for while try with return raise pass assert yield del global nonlocal break continue lambda print self await match",
	},
	{
		name: "ruby", files: "rb rake gemspec ru podspec", runs: "ruby",
		comment: []string{"#"}, block: [2]string{"\n=begin", "\n=end"}, quotes: []quote{text, mark}, syntax: heredocs | regexes,
		layout: true, inner: true, names: "?!.@", middle: "end else elsif when in rescue ensure then }",
		define:  "def class=class module=space",
		calls:   "describe=space RSpec.describe=space context=space it test should specify",
		control: "require require_relative include extend if unless while until case return yield raise begin attr_reader attr_accessor attr_writer private protected public puts expect let before after raise alias loop",
	},
	{
		name: "lua", files: "lua", runs: "lua luajit",
		comment: []string{"--"}, quotes: []quote{text, mark}, syntax: longs, after: "(",
		layout: true, inner: true, assign: true, names: ".:", middle: "end else elseif until then do",
		modify:  "local",
		define:  "function",
		control: "if for while repeat return break require",
	},
	{
		name: "shell", files: "sh bash zsh=zsh ksh fish=fish zsh-theme=zsh bats", runs: "sh bash zsh ksh dash ash fish",
		comment: []string{"#"}, quotes: []quote{{`"`, `"`, '\\', true}, {"'", "'", 0, true}}, syntax: heredocs,
		layout: true, names: "-.:@", middle: "fi done esac then else elif do end { }", call: true,
		define:  "function",
		control: "if for while until case return exit echo export local set source alias cd printf shift trap eval exec readonly declare typeset unset test sudo autoload zstyle compdef bindkey setopt zle . [ [[",
	},
	{
		name: "sql", files: "sql",
		comment: []string{"--"}, block: stars, quotes: []quote{plainMark, text}, syntax: dollars | brackets | semiEnds,
		layout: true, fold: true, names: ".$#", middle: "end begin as go language returns from where values group order having set and or left right inner join on union",
		modify:  "create or replace temp temporary unlogged materialized unique global local if not exists definer recursive external virtual clustered nonclustered",
		define:  "table=table view=table index=table function=table procedure=table trigger=table type=table schema=table database=table sequence=table domain=table extension=table",
		control: "alter drop select insert update delete comment grant revoke declare exec execute commit rollback start lock unlock use with call copy analyze vacuum explain truncate merge if print",
	},
	{
		name: "tcl", files: "tcl tk", runs: "tclsh wish expect",
		comment: []string{"#"}, layout: true, names: ":-.", middle: "} else elseif",
		define:  "proc method test=value namespace=space",
		control: "set if for foreach while switch return puts package source global variable upvar expr proc namespace catch error incr lappend tags start_server assert_equal assert",
	},
	{
		name: "perl", files: "pl pm", runs: "perl",
		comment: []string{"#"}, quotes: []quote{text, mark}, syntax: heredocs | semiEnds,
		layout: true, names: ":", middle: "} else elsif )",
		define:  "sub package=value",
		control: "use my our local if unless for foreach while until return die print require push shift",
	},
	{
		name: "haskell", files: "hs", told: true,
		comment: []string{"--"}, block: [2]string{"{-", "-}"}, nests: true, quotes: []quote{text}, syntax: characters | equations,
		layout: true, names: "'.", middle: "where",
		define:  "data=record type=record newtype=record class=class instance=impl",
		control: "module import infixl infixr infix deriving foreign pattern default",
	},
	{
		name: "make", files: "mk makefile gnumakefile", told: true,
		comment: []string{"#"}, syntax: targets, layout: true, names: "-./$%",
		middle: "endif else endef", define: "define=value",
		control: "include -include sinclude ifeq ifneq ifdef ifndef export unexport override vpath .PHONY",
	},
	{
		name: "dockerfile", files: "dockerfile containerfile", told: true,
		comment: []string{"#"}, syntax: untilNext, layout: true, fold: true, names: "-./:$",
		define:  "from=table",
		control: "run copy add env arg workdir cmd entrypoint expose label user volume shell onbuild healthcheck stopsignal",
	},
	{
		name: "elixir", files: "ex exs",
		comment: []string{"#"}, quotes: []quote{longText, text}, layout: true, inner: true, names: ".?!", attrs: []string{"@doc", "@spec", "@impl", "@since", "@deprecated", "@typedoc"}, middle: "end else rescue after catch",
		define:  "def defp defmacro defmodule=class defprotocol=class defimpl=class",
		calls:   "describe=space test",
		control: "use import alias require if case cond with for",
	},
}
