import { testArchives } from "mcpctl-stage/test";

testArchives({ module: "lead.wasm", role: "lead", files: "testdata/*.txtar" });
