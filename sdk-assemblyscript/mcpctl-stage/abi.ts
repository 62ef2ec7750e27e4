// The functions that the host calls in a module of stages and filters:
//
//     export * from "mcpctl-stage/abi";

import { run } from "./assembly/stage";

export function mcpctl_abi_v1(): void {}

export function mcpctl_stage(): i32 { return run(); }
