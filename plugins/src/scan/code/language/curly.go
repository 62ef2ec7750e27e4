package language

// Comment marks and quotes that several languages share.
var (
	slashes   = []string{"//"}
	stars     = [2]string{"/*", "*/"}
	text      = Quote{`"`, `"`, '\\', false}
	mark      = Quote{"'", "'", '\\', false}
	longText  = Quote{`"""`, `"""`, '\\', true}
	longMark  = Quote{"'''", "'''", '\\', true}
	ticked    = Quote{"`", "`", 0, true}
	plainMark = Quote{"'", "'", 0, true} // '' is one quote
)

// cControl lists the words of statements that languages derived from C share.
const cControl = "if for while do switch case default return break continue goto"

// gradle lists the words of build scripts, which are written in Groovy or Kotlin.
const gradle = " plugins dependencies repositories implementation api testImplementation id alias tasks apply include buildscript allprojects subprojects"

// curly lists the languages whose blocks are in braces.
var curly = []*Language{
	{
		Name: "go", Files: "go",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text, mark, ticked}, Syntax: Receivers | TopLevelEdges, AfterName: "([",
		Define:  "func type=record var=value const=value",
		Control: "package import if for switch case default return break continue goto defer go select fallthrough",
	},
	{
		Name: "javascript", Files: "js mjs cjs jsx ts=typescript mts=typescript cts=typescript tsx=typescript", Interpreters: "node deno bun",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text, mark}, Syntax: Templates | Regexes | TopLevelEdges, AfterName: "(<",
		NestedFunctions: true, AssignedFunctions: true, BareFunctions: true, NameBytes: "$#", Attributes: []string{"@"}, Continue: "else catch finally extends implements",
		Modify:      "export default async public private protected static readonly abstract declare override get set accessor",
		Define:      "function class=class interface=record enum=record namespace=space module=space type=record const=value let=value var=value",
		DefineCalls: "describe=space context=space suite=space it test bench",
		Control:     cControl + " import throw try await yield new delete expect require this super constructor",
	},
	{
		Name: "java", Files: "java dart=dart",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{longText, text, mark}, AfterName: "(<[:=",
		Semicolons: true, BareFunctions: true, NameBytes: "$", Continue: "else catch finally",
		Modify:  "public private protected static final abstract native synchronized transient volatile strictfp default sealed non-sealed case implicit override lazy external late",
		Define:  "class=class interface=class enum=class record=class @interface=class trait=class object=class def mixin=class extension=class",
		Control: cControl + " package import throw try new assert this super throws yield",
	},
	{
		Name: "c", Files: "c h cc=c++ cpp=c++ cxx=c++ c++=c++ hh=c++ hpp=c++ hxx=c++ inl=c++ ipp=c++ m=objective-c mm=objective-c ino=c++ cu=c++ glsl=glsl",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text}, Syntax: Directives | Characters | RawParens | TypedVariables,
		Semicolons: true, BareFunctions: true, NameBytes: "~", Continue: "else catch",
		Modify: "static extern inline const constexpr volatile virtual explicit friend typedef unsigned signed consteval constinit thread_local mutable register final export",
		Define: "struct=class class=class union=record enum=record namespace=space",
		Control: cControl + " using template throw try delete sizeof static_assert void int char long short float double bool auto size_t uint8_t uint16_t uint32_t uint64_t int64_t #include #define #if #ifdef #ifndef #endif #else #elif #pragma #undef public private protected" +
			" @interface @implementation @protocol @property @synthesize @class @end @import",
	},
	{
		Name: "c#", Files: "cs",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text}, Hole: "{", Syntax: Directives | Characters | Verbatim | Properties, AfterName: "(<",
		Semicolons: true, BareFunctions: true, NameBytes: "@", Attributes: []string{"[", "#pragma"}, Continue: "else catch finally",
		Modify:  "public private protected internal static readonly abstract sealed virtual override async partial const extern unsafe new volatile ref required file implicit explicit",
		Define:  "class=class struct=class interface=class enum=record record=class namespace=space delegate=record event=value",
		Control: cControl + " using throw try foreach await yield lock var fixed get set where base this #region #endregion #if #endif",
	},
	{
		Name: "rust", Files: "rs",
		LineComments: slashes, BlockComment: stars, NestedComments: true, Quotes: []Quote{{`"`, `"`, '\\', true}}, Syntax: Characters | RawHashes | TopLevelEdges, AfterName: "(<",
		Semicolons: true, Continue: "else", Attributes: []string{"#["},
		Modify:  "pub async unsafe default crate",
		Define:  "fn struct=record enum=record union=record trait=class impl=impl mod=space macro_rules=record type=value const=value static=value extern=space",
		Control: "use let if match for while loop return break continue where else",
	},
	{
		Name: "swift", Files: "swift",
		LineComments: slashes, BlockComment: stars, NestedComments: true, Quotes: []Quote{longText, text}, Hole: "\\(", Syntax: TopLevelEdges | BacktickNames,
		Continue: "else catch where", Attributes: []string{"@"},
		Modify:  "public private internal fileprivate open static final override mutating nonmutating convenience required lazy weak indirect prefix postfix infix class",
		Define:  "func init deinit subscript class=class struct=class enum=class protocol=class extension=class actor=class var=value let=value typealias=value",
		Control: "import if guard for while switch case default return defer do try throw repeat self super",
	},
	{
		Name: "scala", Files: "scala sbt sc",
		LineComments: slashes, BlockComment: stars, NestedComments: true, Quotes: []Quote{{`"""`, `"""`, 0, true}, text}, Hole: "${", Syntax: Characters | BodilessTypes | BacktickNames,
		Continue: "else catch finally extends with yield", Attributes: []string{"@"},
		Modify:  "private protected final abstract sealed implicit override lazy case inline opaque open transparent infix",
		Define:  "def class=class trait=class object=class enum=class given=class extension=space val=value var=value type=value",
		Control: "package import export if for while match return throw try new this super",
	},
	{
		Name: "groovy", Files: "groovy gradle", ByNameOnly: true,
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{longText, longMark, text, mark}, Hole: "${", Syntax: BodilessTypes, AfterName: "(<",
		BareFunctions: true, NestedFunctions: true, NameBytes: "$", Continue: "else catch finally", Attributes: []string{"@"},
		Modify:  "public private protected static final abstract native synchronized transient volatile strictfp",
		Define:  "def class=class interface=class enum=class trait=class @interface=class task=value",
		Control: cControl + " package import throw try new assert this super apply ext" + gradle,
	},
	{
		Name: "kotlin", Files: "kt kts",
		LineComments: slashes, BlockComment: stars, NestedComments: true, Quotes: []Quote{{`"""`, `"""`, 0, true}, text}, Hole: "${", Syntax: Characters | TopLevelEdges | BodilessTypes | BacktickNames,
		Continue: "else catch finally", Attributes: []string{"@"}, NameBytes: ".",
		Modify:  "public private internal protected open abstract final override suspend inline operator data sealed infix tailrec external lateinit const companion annotation inner value enum actual expect crossinline",
		Define:  "fun class=class interface=class object=class constructor init val=value var=value typealias=value",
		Control: "package import if for while when return throw try do" + gradle,
	},
	{
		Name: "php", Files: "php phtml", Interpreters: "php",
		LineComments: []string{"//", "#"}, BlockComment: stars, Quotes: []Quote{{`"`, `"`, '\\', true}, {"'", "'", '\\', true}}, Syntax: Heredocs, AfterName: "(",
		Semicolons: true, NestedFunctions: true, NameBytes: "$", Continue: "else elseif catch finally", Attributes: []string{"#["},
		Modify:  "public private protected static final abstract readonly",
		Define:  "function class=class interface=class trait=class enum=class namespace=space",
		Control: cControl + " <?php use foreach echo throw try require require_once include const endif endforeach $this",
	},
	{
		Name: "protobuf", Files: "proto",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text, mark},
		Semicolons: true, AfterName: "(",
		Define:  "message=class service=class enum=record rpc extend=record oneof=record",
		Control: "syntax package import option repeated optional required reserved returns string int32 int64 uint32 uint64 bool bytes map",
	},
	{
		Name: "hcl", Files: "tf hcl tfvars", ByNameOnly: true,
		LineComments: []string{"#", "//"}, BlockComment: stars, Quotes: []Quote{text}, Syntax: Heredocs | LabelledBlocks,
		NestedFunctions: true, NameBytes: "-.",
		Define:  "resource=table data=table variable=table output=table module=table provider=table locals=table terraform=table moved=table import=table check=table removed=table",
		Control: "count for_each source version dynamic content lifecycle",
	},
	{
		Name: "r", Files: "r", ByNameOnly: true,
		LineComments: []string{"#"}, Quotes: []Quote{{`"`, `"`, '\\', true}, {"'", "'", '\\', true}}, Syntax: ArrowAssignment,
		NestedFunctions: true, NameBytes: "._", Continue: "else",
		DefineCalls: "test_that describe=space it setClass=record setRefClass=class setGeneric setMethod",
		Control:     "library require source if for while repeat function return invisible stop expect_equal print cat",
	},
	{
		Name: "css", Files: "css scss less",
		LineComments: slashes, BlockComment: stars, Quotes: []Quote{text, mark}, Semicolons: true, Syntax: Selectors, NameBytes: "-",
		Define: "@mixin @function @media=space @supports=space @keyframes=space @layer=space",
		Control: "@import @use @include @extend @charset @forward @return @if @else @each @font-face @page align-items animation background " +
			"background-color background-image background-position border border-bottom border-color border-left border-radius border-right border-top " +
			"bottom box-shadow box-sizing clear color content cursor display fill flex flex-direction float font font-family font-size font-style " +
			"font-weight gap grid-template-columns height justify-content left letter-spacing line-height list-style margin margin-bottom margin-left " +
			"margin-right margin-top max-height max-width min-height min-width opacity outline overflow padding padding-bottom padding-left " +
			"padding-right padding-top pointer-events position right text-align text-decoration text-overflow text-transform top transform " +
			"transition user-select vertical-align visibility white-space width word-wrap z-index -webkit-transition -webkit-transform src",
	},
}
