package code

// Parts of languages that many share.
var (
	slashes   = []string{"//"}
	stars     = [2]string{"/*", "*/"}
	text      = quote{`"`, `"`, '\\', false}
	mark      = quote{"'", "'", '\\', false}
	longText  = quote{`"""`, `"""`, '\\', true}
	longMark  = quote{"'''", "'''", '\\', true}
	ticked    = quote{"`", "`", 0, true}
	plainMark = quote{"'", "'", 0, true} // '' is two of them
)

// cControl are the words of statements that languages after C share.
const cControl = "if for while do switch case default return break continue goto"

// curly are the languages of braces.
var curly = []*language{
	{
		name: "go", files: "go",
		comment: slashes, block: stars, quotes: []quote{text, mark, ticked}, syntax: receivers | edges, after: "([",
		define:  "func type=record var=value const=value",
		control: "package import if for switch case default return break continue goto defer go select fallthrough",
	},
	{
		name: "javascript", files: "js mjs cjs jsx ts=typescript mts=typescript cts=typescript tsx=typescript", runs: "node deno bun",
		comment: slashes, block: stars, quotes: []quote{text, mark}, syntax: templates | regexes | edges, after: "(<",
		inner: true, assign: true, call: true, names: "$#", attrs: []string{"@"}, middle: "else catch finally extends implements",
		modify:  "export default async public private protected static readonly abstract declare override get set accessor",
		define:  "function class=class interface=record enum=record namespace=space module=space type=record const=value let=value var=value",
		calls:   "describe=space context=space suite=space it test bench",
		control: cControl + " import throw try await yield new delete expect require this super constructor",
	},
	{
		name: "java", files: "java groovy=groovy gradle=groovy scala=scala dart=dart",
		comment: slashes, block: stars, quotes: []quote{longText, text, mark}, after: "(<[:=",
		semi: true, call: true, names: "$", middle: "else catch finally",
		modify:  "public private protected static final abstract native synchronized transient volatile strictfp default sealed non-sealed case implicit override lazy external late",
		define:  "class=class interface=class enum=class record=class @interface=class trait=class object=class def mixin=class extension=class",
		control: cControl + " package import throw try new assert this super throws yield",
	},
	{
		name: "c", files: "c h cc=c++ cpp=c++ cxx=c++ c++=c++ hh=c++ hpp=c++ hxx=c++ inl=c++ ipp=c++ m=objective-c mm=objective-c ino=c++ cu=c++ glsl=glsl",
		comment: slashes, block: stars, quotes: []quote{text}, syntax: directives | characters | rawParens | variables,
		semi: true, call: true, names: "~", middle: "else catch",
		modify:  "static extern inline const constexpr volatile virtual explicit friend typedef unsigned signed consteval constinit thread_local mutable register final export",
		define:  "struct=class class=class union=record enum=record namespace=space",
		control: cControl + " using template throw try delete sizeof static_assert void int char long short float double bool auto size_t uint8_t uint16_t uint32_t uint64_t int64_t #include #define #if #ifdef #ifndef #endif #else #elif #pragma #undef public private protected",
	},
	{
		name: "c#", files: "cs",
		comment: slashes, block: stars, quotes: []quote{{`"""`, `"""`, 0, true}, text}, syntax: directives | characters | verbatim | properties, after: "(<",
		semi: true, call: true, names: "@", middle: "else catch finally",
		modify:  "public private protected internal static readonly abstract sealed virtual override async partial const extern unsafe new volatile ref required file implicit explicit",
		define:  "class=class struct=class interface=class enum=record record=class namespace=space delegate=record event=value",
		control: cControl + " using throw try foreach await yield lock var fixed get set where base this #region #endregion #if #endif",
	},
	{
		name: "rust", files: "rs",
		comment: slashes, block: stars, nests: true, quotes: []quote{{`"`, `"`, '\\', true}}, syntax: characters | rawHashes | edges, after: "(<",
		semi: true, middle: "else", attrs: []string{"#["},
		modify:  "pub async unsafe default crate",
		define:  "fn struct=record enum=record union=record trait=class impl=impl mod=space macro_rules=record type=value const=value static=value extern=space",
		control: "use let if match for while loop return break continue where else",
	},
	{
		name: "swift", files: "swift",
		comment: slashes, block: stars, nests: true, quotes: []quote{longText, text}, syntax: edges | tickedNames,
		middle: "else catch where", attrs: []string{"@"},
		modify:  "public private internal fileprivate open static final override mutating nonmutating convenience required lazy weak indirect prefix postfix infix class",
		define:  "func init deinit subscript class=class struct=class enum=class protocol=class extension=class actor=class var=value let=value typealias=value",
		control: "import if guard for while switch case default return defer do try throw repeat self super",
	},
	{
		name: "kotlin", files: "kt kts",
		comment: slashes, block: stars, nests: true, quotes: []quote{{`"""`, `"""`, 0, true}, text}, syntax: characters | edges | bodiless | tickedNames,
		middle: "else catch finally", attrs: []string{"@"}, names: ".",
		modify:  "public private internal protected open abstract final override suspend inline operator data sealed infix tailrec external lateinit const companion annotation inner value enum actual expect crossinline",
		define:  "fun class=class interface=class object=class constructor init val=value var=value typealias=value",
		control: "package import if for while when return throw try do",
	},
	{
		name: "php", files: "php phtml", runs: "php",
		comment: []string{"//", "#"}, block: stars, quotes: []quote{{`"`, `"`, '\\', true}, {"'", "'", '\\', true}}, syntax: heredocs, after: "(",
		semi: true, inner: true, names: "$", middle: "else elseif catch finally", attrs: []string{"#["},
		modify:  "public private protected static final abstract readonly",
		define:  "function class=class interface=class trait=class enum=class namespace=space",
		control: cControl + " <?php use foreach echo throw try require require_once include const endif endforeach $this",
	},
	{
		name: "protobuf", files: "proto",
		comment: slashes, block: stars, quotes: []quote{text, mark},
		semi: true, after: "(",
		define:  "message=class service=class enum=record rpc extend=record oneof=record",
		control: "syntax package import option repeated optional required reserved returns string int32 int64 uint32 uint64 bool bytes map",
	},
	{
		name: "hcl", files: "tf hcl tfvars", told: true,
		comment: []string{"#", "//"}, block: stars, quotes: []quote{text}, syntax: heredocs | blocks,
		inner: true, names: "-.",
		define:  "resource=table data=table variable=table output=table module=table provider=table locals=table terraform=table moved=table import=table check=table removed=table",
		control: "count for_each source version dynamic content lifecycle",
	},
	{
		name: "r", files: "r", told: true,
		comment: []string{"#"}, quotes: []quote{{`"`, `"`, '\\', true}, {"'", "'", '\\', true}}, syntax: arrows,
		inner: true, names: "._", middle: "else",
		calls:   "test_that describe=space it setClass=record setRefClass=class setGeneric setMethod",
		control: "library require source if for while repeat function return invisible stop expect_equal print cat",
	},
	{
		name: "css", files: "css scss less",
		comment: slashes, block: stars, quotes: []quote{text, mark}, semi: true, syntax: selectors, names: "-",
		define: "@mixin @function @media=space @supports=space @keyframes=space @layer=space",
		control: "@import @use @include @extend @charset @forward @return @if @else @each @font-face @page align-items animation background " +
			"background-color background-image background-position border border-bottom border-color border-left border-radius border-right border-top " +
			"bottom box-shadow box-sizing clear color content cursor display fill flex flex-direction float font font-family font-size font-style " +
			"font-weight gap grid-template-columns height justify-content left letter-spacing line-height list-style margin margin-bottom margin-left " +
			"margin-right margin-top max-height max-width min-height min-width opacity outline overflow padding padding-bottom padding-left " +
			"padding-right padding-top pointer-events position right text-align text-decoration text-overflow text-transform top transform " +
			"transition user-select vertical-align visibility white-space width word-wrap z-index -webkit-transition -webkit-transform src",
	},
}
