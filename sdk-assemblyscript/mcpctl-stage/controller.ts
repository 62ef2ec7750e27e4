export { CallInfo, ClientInfo, Contents, Ctx, ResultInfo } from "./controller/ctx";
export { Hook, Hooks, register } from "./controller/hooks";
export { IS_ERROR, Out, STAGES, WHOLE_RESULT } from "./controller/out";
export { Prompts } from "./controller/prompts";
export { Servers, State, Tools } from "./controller/session";
