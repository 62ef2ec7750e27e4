// A client on the official TypeScript SDK that plays a script and prints the results as one
// JSON document. Input (argv[2]): {"connect": {...}, "steps": [...]}.
//
//   connect: {"command": "...", "args": [...], "env": {...}} or {"url": "http://..."}
//   step:    {"method": "tools/call", "params": {...}, "progress": true}
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const { connect, steps, roots } = JSON.parse(process.argv[2]);
const transport = connect.url
  ? new StreamableHTTPClientTransport(new URL(connect.url))
  : new StdioClientTransport({ ...connect, stderr: "inherit" });
const client = new Client(
  { name: "e2e", version: "1" },
  { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } },
);

const asked = [];
client.setRequestHandler(types.CreateMessageRequestSchema, async (r) => {
  asked.push("sampling");
  return { model: "scripted", role: "assistant", content: { type: "text", text: "sampled" } };
});
client.setRequestHandler(types.ElicitRequestSchema, async (r) => {
  asked.push("elicitation");
  return { action: "decline" };
});
client.setRequestHandler(types.ListRootsRequestSchema, async () => {
  asked.push("roots");
  return { roots: roots ?? [] };
});
const logged = [];
client.setNotificationHandler(types.LoggingMessageNotificationSchema, (n) => { logged.push(n.params.level); });

await client.connect(transport);
const results = [];
let progress = []; // that was received before the answer
let answered = false;
const deliver = transport.onmessage;
transport.onmessage = (message, extra) => {
  // The SDK calls onprogress later, and not at all if the answer is in the same chunk.
  if (message.method === "notifications/progress" && !answered) progress.push(message.params.progress);
  if (message.id !== undefined && message.method === undefined) answered = true;
  deliver(message, extra);
};
for (const step of steps) {
  progress = [];
  answered = false;
  try {
    const result = await client.request(
      { method: step.method, params: step.params },
      z.any(),
      step.progress ? { onprogress: () => {} } : undefined,
    );
    results.push({ result, progress });
  } catch (e) {
    results.push({ error: { code: e.code, message: e.message, data: e.data }, progress });
  }
}
console.log(JSON.stringify({ capabilities: client.getServerCapabilities(), results, asked, logged }));
await client.close();
process.exit(0);
