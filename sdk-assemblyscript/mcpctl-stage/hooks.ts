// The functions that the host calls in a module of controllers:
//
//     export * from "mcpctl-stage/hooks";
//
// A hook that is not exported is never called, so a module may export only its own hooks
// and mcpctl_abi_v1 instead of all names.

import { Hooks, run } from "./controller/hooks";

export { mcpctl_abi_v1 } from "./abi";

export function mcpctl_on_initialize(): i32 { return run((h: Hooks) => h.initialize); }

export function mcpctl_on_tools_list(): i32 { return run((h: Hooks) => h.toolsList); }

export function mcpctl_on_tool_call(): i32 { return run((h: Hooks) => h.toolCall); }

export function mcpctl_on_tool_result(): i32 { return run((h: Hooks) => h.toolResult); }

export function mcpctl_on_close(): i32 { return run((h: Hooks) => h.close); }
