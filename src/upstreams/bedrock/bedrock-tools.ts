import { isObject, type Path } from "../../lib/schema/schema.ts";
import { hasCachePoints, isClaude } from "../../models/parameters/bedrock-models.ts";
import { chosenTool, onlyAllowed } from "../tool-calls.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { Turn } from "./bedrock-turns.ts";
import { cachePointFor, toBlocks, uncachedPart, type Block, type Part } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

/** The fields of a request that are about tools. */
export interface Tooling {
  readonly toolConfig?: { readonly tools: readonly Block[]; readonly toolChoice?: Block };
}

/** A tool declaration, and the name that it declares. */
interface Tool extends Part {
  readonly name: string;
}

export function toTooling(body: Json, turns: readonly Turn[], upstreamModel: string): Tooling {
  const tools = Array.isArray(body["tools"]) ? body["tools"].map((tool: Json, at) => toTool(tool, ["tools", at])) : [];
  const choice = body["tool_choice"] ?? "auto";
  if (tools.length === 0 || choice === "none") return toolsOfHistory(turns);
  const allowed = isObject(choice) && choice["type"] === "allowed_tools" ? choice["allowed_tools"] : undefined;
  const toolChoice = allowed === undefined ? toChoice(choice, tools) : toMode(isObject(allowed) ? allowed["mode"] : undefined);
  const offered = allowed === undefined ? tools : onlyAllowed(tools, allowed);
  // Nova caches messages and the system prompt, but rejects a cache point among the tools.
  return {
    toolConfig: {
      tools: toBlocks(offered, isClaude(upstreamModel) && hasCachePoints(upstreamModel)),
      ...(body["tool_choice"] != null && { toolChoice }),
    },
  };
}

/** Whether the model must call a tool. */
export function isForced({ toolConfig }: Tooling): boolean {
  return toolConfig?.toolChoice !== undefined && toolConfig.toolChoice["auto"] === undefined;
}

/** Only functions: server-side tools are billed separately, and no token count shows that cost. */
function toTool(tool: Json, path: Path): Tool {
  const { function: fn } = tool;
  if (tool["type"] !== "function") throw unsupportedParameter(path, "is not a function, and this model supports no other tools");
  const { name, description, parameters, strict } = isObject(fn) ? fn : {};
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    throw wrongValue([...path, "function", "name"], "must be made of up to 64 letters, digits, _ and - for this model");
  }
  const toolSpec = {
    name,
    ...(typeof description === "string" && description !== "" && { description }),
    inputSchema: { json: isObject(parameters) ? { type: "object", ...parameters } : { type: "object", properties: {} } },
    ...(strict === true && { strict }),
  };
  const cachePoint = cachePointFor(tool["cache_control"]) ?? (isObject(fn) ? cachePointFor(fn["cache_control"]) : undefined);
  return { name, block: { toolSpec }, cachePoint };
}

/**
 * The API rejects a history with tool calls when no tools are declared, and has no `tool_choice` none. If the caller offers no tools, the
 * tools of the history are declared with a description that tells the model not to call them.
 */
function toolsOfHistory(turns: readonly Turn[]): Tooling {
  const blocks = turns.flatMap(({ parts }) => parts.map(({ block }) => block));
  const calls = new Set(blocks.flatMap(({ toolUse }) => (toolUse === undefined ? [] : (toolUse as { name: string }).name)));
  // A result whose call is not in the history needs a declaration, too.
  const names = calls.size === 0 && blocks.some(({ toolResult }) => toolResult !== undefined) ? ["tool"] : [...calls];
  if (names.length === 0) return {};
  const tools = names.map((name) =>
    uncachedPart({ toolSpec: { name, description: "Not available any more: do not call it.", inputSchema: { json: { type: "object" } } } }),
  );
  return { toolConfig: { tools: toBlocks(tools, false) } };
}

function toChoice(choice: unknown, tools: readonly Tool[]): Block {
  if (!isObject(choice)) return toMode(choice);
  return { tool: { name: chosenTool(choice, tools) } };
}

function toMode(mode: unknown): Block {
  if (mode === "auto") return { auto: {} };
  if (mode === "required") return { any: {} };
  throw wrongValue(["tool_choice"], "must be auto, none, required or a function");
}
