// Prints the functions and types that tree-sitter finds in source files, with a line of JSON
// for each file: {"file": "...", "definitions": [[name, first line, last line], ...]}.
// Arguments: the grammar, then the files. It skips definitions within functions, files and
// statements with syntax errors, and computed names.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Parser = require("web-tree-sitter");

const kinds = {
  typescript: ["function_declaration", "class_declaration", "abstract_class_declaration", "method_definition", "interface_declaration", "enum_declaration"],
  javascript: ["function_declaration", "generator_function_declaration", "class_declaration", "method_definition"],
  cpp: ["function_definition", "class_specifier", "struct_specifier"],
};

const [grammar, ...files] = process.argv.slice(2);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Parser.Language.load(require.resolve(`tree-sitter-wasms/out/tree-sitter-${grammar}.wasm`)));
const wanted = new Set(kinds[grammar]);

// nameOf returns the name in nested declarators of C++.
function nameOf(node) {
  let name = node.childForFieldName("name") ?? node.childForFieldName("declarator");
  while (name?.childForFieldName("declarator")) name = name.childForFieldName("declarator");
  return name?.text ?? "";
}

function walk(node, found) {
  if (wanted.has(node.type) && !node.hasError() && node.childForFieldName("body")) {
    const name = nameOf(node);
    if (/^#?[\w$~:]+$/.test(name)) found.push([name, node.startPosition.row + 1, node.endPosition.row + 1]);
  }
  if (/function|method|lambda|arguments|object$/.test(node.type)) return;
  for (const child of node.namedChildren) walk(child, found);
}

for (const file of files) {
  const tree = parser.parse(readFileSync(file, "utf8"));
  const definitions = [];
  walk(tree.rootNode, definitions);
  console.log(JSON.stringify({ file, definitions }));
  tree.delete();
}
