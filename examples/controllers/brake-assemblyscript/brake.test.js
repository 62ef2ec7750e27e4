import { testArchives } from "mcpctl-stage/test";

testArchives({ module: "brake.wasm", role: "brake", files: "testdata/*.txtar" });
