import { isOmitted } from "../../../lib/json/omitted-text.ts";
import { isObject, type Path } from "../../../lib/schema/schema.ts";
import { isHostedSearch } from "../../../requests/responses-api.ts";
import { untranslatable, type OriginMarks } from "../translation.ts";

type Json = Readonly<Record<string, unknown>>;

/** A tool of the Responses API. Chat completions have only functions, so every tool becomes one, and its calls are translated back. */
export interface ResponseTool {
  readonly kind: "function" | "custom" | "tool_search" | "local_shell";
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Chat completions allow letters, digits, _ and -, at most 64 of them. */
const USABLE_NAME = /^[\w-]{1,64}$/;
const MAX_NAME = 64;

/** The tools of one request, and the names of the functions that they become. */
export class ResponseTools {
  readonly #byName = new Map<string, ResponseTool>();
  /** Whether a tool was named whose name an outline lacks. */
  lacksNames = false;

  /** The function's name for a tool: `namespace__name`, and a hash if that is too long or taken. */
  nameOf(tool: ResponseTool): string {
    const { kind, name, namespace } = tool;
    if (isOmitted(name) || isOmitted(namespace)) this.lacksNames = true;
    const plain = namespace === undefined ? name : `${namespace}__${name}`;
    if (USABLE_NAME.test(plain) && this.#take(plain, tool)) return plain;
    const hash = Bun.hash(JSON.stringify([kind, namespace, name])).toString(36);
    const hashed = `${plain.replaceAll(/[^\w-]/g, "_").slice(0, MAX_NAME - 1 - hash.length)}_${hash}`;
    this.#byName.set(hashed, tool);
    return hashed;
  }

  /** The tool that a model has called. A name that was not offered is passed on as it is. */
  find(name: string): ResponseTool {
    return this.#byName.get(name) ?? { kind: "function", name, namespace: undefined };
  }

  #take(name: string, tool: ResponseTool): boolean {
    const known = this.#byName.get(name);
    if (!known) this.#byName.set(name, tool);
    return !known || (known.kind === tool.kind && known.name === tool.name && known.namespace === tool.namespace);
  }
}

/** A tool as it is offered: where it is in the request, and the namespace that contains it. */
interface OfferedTool {
  readonly tool: Json;
  readonly path: Path;
  readonly namespace: string | undefined;
}

/** The tools of a request as functions. Some are loaded by items of the conversation. */
export function functionsFor(body: Json, tools: ResponseTools, origins: OriginMarks): Json[] {
  const functions = new Map<string, Json>();
  for (const { tool, path, namespace } of offeredTools(body)) {
    // The model does without it, and a header of the reply names it.
    if (isHostedSearch(tool)) continue;
    const described = functionOf(tool, namespace, path);
    const name = tools.nameOf(described.as);
    functions.set(name, origins.mark({ type: "function", function: { name, ...described.fields } }, path));
  }
  return [...functions.values()];
}

/** The name, the schema and the description that a translated tool may have besides its own. */
const BYTES_PER_TOOL = 320;

/** The most bytes by which functions are longer than the tools that they stand for. */
export function addedBytesIn(body: Json): number {
  const changed = offeredTools(body).filter(({ tool, namespace }) => namespace !== undefined || tool["type"] !== "function");
  return changed.length * BYTES_PER_TOOL;
}

function offeredTools({ tools, input }: Json): OfferedTool[] {
  const offered = inNamespaces(tools, ["tools"]);
  if (!Array.isArray(input)) return offered;
  for (const [at, { type, tools: loaded }] of (input as readonly Json[]).entries()) {
    if (type === "additional_tools" || type === "tool_search_output") offered.push(...inNamespaces(loaded, ["input", at, "tools"]));
  }
  return offered;
}

function inNamespaces(tools: unknown, path: Path): OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly Json[]).flatMap((tool, at): OfferedTool[] => {
    const own = [...path, at];
    if (tool["type"] !== "namespace") return [{ tool, path: own, namespace: undefined }];
    const nested = Array.isArray(tool["tools"]) ? (tool["tools"] as readonly Json[]) : [];
    return nested.map((each, index) => ({ tool: each, path: [...own, "tools", index], namespace: String(tool["name"]) }));
  });
}

interface DescribedFunction {
  readonly as: ResponseTool;
  readonly fields: Json;
}

const EMPTY_SCHEMA = { type: "object", properties: {} };

const INPUT_SCHEMA = { type: "object", properties: { input: { type: "string" } }, required: ["input"], additionalProperties: false };

const SHELL_SCHEMA = {
  type: "object",
  properties: {
    command: { type: "array", items: { type: "string" }, description: "The program and its arguments." },
    working_directory: { type: "string" },
    timeout_ms: { type: "integer" },
  },
  required: ["command"],
};

function functionOf(tool: Json, namespace: string | undefined, path: Path): DescribedFunction {
  const { type, name, description, parameters, strict, format } = tool;
  const described = typeof description === "string" && description !== "" ? { description } : {};
  switch (type) {
    case "function": {
      const fields = { ...described, parameters: parameters ?? EMPTY_SCHEMA, ...(strict === true && { strict }) };
      return { as: { kind: "function", name: String(name), namespace }, fields };
    }
    case "custom": {
      const text = [description, grammarOf(format)].filter((each) => typeof each === "string" && each !== "").join("\n\n");
      return { as: { kind: "custom", name: String(name), namespace }, fields: { description: text, parameters: INPUT_SCHEMA } };
    }
    case "tool_search":
      return {
        as: { kind: "tool_search", name: "tool_search", namespace },
        fields: { ...described, parameters: parameters ?? EMPTY_SCHEMA },
      };
    case "local_shell": {
      const fields = { description: "Runs a command on the user's machine.", parameters: SHELL_SCHEMA };
      return { as: { kind: "local_shell", name: "local_shell", namespace }, fields };
    }
    default:
      throw untranslatable(path, type);
  }
}

/** A function has no grammar, so its description has it. */
function grammarOf(format: unknown): string | undefined {
  if (!isObject(format) || format["type"] !== "grammar") return undefined;
  const { syntax, definition } = format;
  return `\`input\` must match this ${String(syntax)} grammar:\n${String(definition)}`;
}

/** The tool choice, and the functions that it allows. */
export function chosenFunctions(body: Json, functions: readonly Json[], tools: ResponseTools): Json {
  const { tool_choice: choice, parallel_tool_calls: isParallel } = body;
  if (functions.length === 0) return {};
  const allowed = isObject(choice) && choice["type"] === "allowed_tools" ? allowedOf(choice, functions, tools) : functions;
  if (allowed.length === 0) return {};
  return {
    tools: allowed,
    ...(choice != null && { tool_choice: toChatChoice(choice, tools) }),
    ...(isParallel === false && { parallel_tool_calls: false }),
  };
}

function allowedOf({ tools: allowed }: Json, functions: readonly Json[], tools: ResponseTools): readonly Json[] {
  const names = new Set(Array.isArray(allowed) ? allowed.map((each: Json) => nameOfChoice(each, tools)) : []);
  return functions.filter((each) => names.has(String((each["function"] as Json)["name"])));
}

function toChatChoice(choice: unknown, tools: ResponseTools): unknown {
  if (!isObject(choice)) return choice;
  if (choice["type"] === "allowed_tools") return choice["mode"] ?? "auto";
  const name = nameOfChoice(choice, tools);
  if (name === undefined) throw untranslatable(["tool_choice"], choice["type"]);
  return { type: "function", function: { name } };
}

function nameOfChoice({ type, name, namespace }: Json, tools: ResponseTools): string | undefined {
  if (type === "tool_search" || type === "local_shell") return tools.nameOf({ kind: type, name: type, namespace: undefined });
  if ((type !== "function" && type !== "custom") || typeof name !== "string") return undefined;
  return tools.nameOf({ kind: type, name, namespace: typeof namespace === "string" ? namespace : undefined });
}
