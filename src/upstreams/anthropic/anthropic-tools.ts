import { isObject, type Path } from "../../lib/schema/schema.ts";
import { chosenTool, onlyAllowed } from "../tool-calls.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { Turn } from "./anthropic-turns.ts";
import { cacheBreakpoint } from "./cache-breakpoint.ts";

type Json = Readonly<Record<string, unknown>>;

interface Tool extends Json {
  readonly name: string;
}

/** The fields of a request that are about tools. */
interface Tooling {
  readonly tools?: readonly Tool[];
  readonly tool_choice?: Json;
}

export function toTooling(body: Json, turns: readonly Turn[]): Tooling {
  const tools = Array.isArray(body["tools"]) ? body["tools"].map((tool: Json, at) => toTool(tool, ["tools", at])) : [];
  if (tools.length === 0) return toolsOfHistory(turns);
  const choice = body["tool_choice"] ?? "auto";
  const isParallel = body["parallel_tool_calls"] !== false;
  const allowed = isObject(choice) && choice["type"] === "allowed_tools" ? choice["allowed_tools"] : undefined;
  const chosen = allowed === undefined ? toChoice(choice, tools) : toMode(isObject(allowed) ? allowed["mode"] : undefined);
  return {
    tools: allowed === undefined ? tools : onlyAllowed(tools, allowed),
    ...((body["tool_choice"] != null || !isParallel) && { tool_choice: isParallel ? chosen : withoutParallelCalls(chosen) }),
  };
}

/** Whether the model must call a tool. */
export function isForced({ tool_choice: choice }: Tooling): boolean {
  return choice?.["type"] === "any" || choice?.["type"] === "tool";
}

/** Only functions: server-side tools are billed separately, and no token count shows that cost. */
function toTool(tool: Json, path: Path): Tool {
  const { function: fn } = tool;
  if (tool["type"] !== "function") throw unsupportedParameter(path, "is not a function, and this model supports no other tools");
  const { name, description, parameters, strict } = isObject(fn) ? fn : {};
  if (typeof name !== "string" || !/^[\w-]{1,128}$/.test(name)) {
    throw wrongValue([...path, "function", "name"], "must be made of letters, digits, _ and -");
  }
  const breakpoint = cacheBreakpoint(tool["cache_control"] ?? (isObject(fn) ? fn["cache_control"] : undefined));
  return {
    name,
    ...(typeof description === "string" && description !== "" && { description }),
    input_schema: isObject(parameters) ? { type: "object", ...parameters } : { type: "object", properties: {} },
    ...(strict === true && { strict }),
    ...(breakpoint && { cache_control: breakpoint }),
  };
}

/**
 * The API rejects a history with tool calls when no tools are declared. They are declared here with `tool_choice` none, because the caller
 * offers none.
 */
function toolsOfHistory(turns: readonly Turn[]): Tooling {
  const uses = turns.flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  const names = new Set(uses.map(({ name }) => name as string));
  if (names.size === 0) return {};
  return { tools: [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } })), tool_choice: { type: "none" } };
}

function toChoice(choice: unknown, tools: readonly Tool[]): Json {
  if (choice === "none") return { type: "none" };
  if (!isObject(choice)) return toMode(choice);
  return { type: "tool", name: chosenTool(choice, tools) };
}

function toMode(mode: unknown): Json {
  if (mode === "auto") return { type: "auto" };
  if (mode === "required") return { type: "any" };
  throw wrongValue(["tool_choice"], "must be auto, none, required or a function");
}

function withoutParallelCalls(choice: Json): Json {
  return choice["type"] === "none" ? choice : { ...choice, disable_parallel_tool_use: true };
}
