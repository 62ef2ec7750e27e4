// AssemblyScript's compiler, kept loaded from build to build: it reads a line of JSON
// for each, the arguments that asc takes, and answers with one. It ends with its stdin.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const answer = process.stdout.write.bind(process.stdout);
let said = "";
const listen = (text) => {
  said += text;
  return true;
};
process.stdout.write = process.stderr.write = listen; // transforms print there
const nobody = { write: () => true }; // the text of a module, if that was asked for

const { main } = await import(pathToFileURL(process.argv[1]));
for await (const line of createInterface({ input: process.stdin })) {
  said = "";
  const { error } = await main(JSON.parse(line), { stdout: nobody, stderr: { write: listen } });
  answer(JSON.stringify({ failed: Boolean(error), said, bytes: process.memoryUsage.rss() }) + "\n");
}
