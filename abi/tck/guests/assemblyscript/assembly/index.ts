// The guest of the conformance kit in AssemblyScript. The README of abi/tck describes the
// cases.
import { Ctx, register } from "mcpctl-stage";
import * as controller from "mcpctl-stage/controller";
import { stageCase } from "./stage";
import { steerCase } from "./steer";

export * from "mcpctl-stage/abi";
export {
  mcpctl_on_close, mcpctl_on_initialize, mcpctl_on_tool_call, mcpctl_on_tool_result, mcpctl_on_tools_list,
} from "mcpctl-stage/hooks";

register("kit", run);
register("kit-filter", run);
register("kit-bare", run);
controller.register("kit-steer", { initialize: steer, toolsList: steer, toolCall: steer, toolResult: steer, close: steer });

function run(c: Ctx): i32 { return stageCase(c, c.str("case", "")); }

function steer(c: controller.Ctx): i32 { return steerCase(c, c.str("case", "")); }
