import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Function declarations and the calling mode. */
export interface Tools {
  readonly tools?: readonly object[];
  readonly toolConfig?: object;
}

/** Translates `tools` and `tool_choice`. Both are omitted where there are no tools. */
export function toTools(fields: Fields): Tools {
  const { tools = [], tool_choice: choice } = fields;
  const functionDeclarations = (tools as unknown[]).map((tool, at) => toDeclaration(tool, ["tools", at]));
  const functionCallingConfig = toCallingConfig(choice, new Set(functionDeclarations.map(({ name }) => name)));
  if (functionDeclarations.length === 0) return {};
  return { tools: [{ functionDeclarations }], ...(functionCallingConfig && { toolConfig: { functionCallingConfig } }) };
}

function toDeclaration(tool: unknown, path: Path): { readonly name: string } {
  const fn = isObject(tool) ? tool["function"] : undefined;
  if (!isObject(tool) || tool["type"] !== "function") throw unsupportedParameter(path, "must be of the type function for this model");
  const name = isObject(fn) ? fn["name"] : undefined;
  if (!isObject(fn) || typeof name !== "string" || name === "") {
    throw wrongValue([...path, "function", "name"], "must be the name of a function");
  }
  const { description, parameters } = fn;
  if (parameters != null && !isObject(parameters)) throw wrongValue([...path, "function", "parameters"], "must be an object");
  return {
    name,
    ...(typeof description === "string" && { description }),
    // As JSON Schema, not in the older `parameters`, which supports only a subset of it.
    ...(isObject(parameters) && { parametersJsonSchema: parameters }),
  };
}

function toCallingConfig(choice: unknown, declared: ReadonlySet<string>): object | undefined {
  if (choice === undefined) return undefined;
  if (choice === "auto") return { mode: "AUTO" };
  if (choice === "none") return { mode: "NONE" };
  if (declared.size === 0) throw wrongValue(["tool_choice"], "needs tools to choose from");
  if (choice === "required") return { mode: "ANY" };
  if (isObject(choice) && choice["type"] === "function") {
    return { mode: "ANY", allowedFunctionNames: [nameIn(choice, ["tool_choice"], declared)] };
  }
  if (isObject(choice) && choice["type"] === "allowed_tools") return toAllowed(choice["allowed_tools"], declared);
  throw unsupportedParameter(["tool_choice"], "must be auto, none, required or a function for this model");
}

/** `VALIDATED` allows text as well as calls of the listed functions. The API accepts names with `VALIDATED` and `ANY`, not with `AUTO`. */
function toAllowed(allowed: unknown, declared: ReadonlySet<string>): object {
  const tools = isObject(allowed) && Array.isArray(allowed["tools"]) ? (allowed["tools"] as unknown[]) : [];
  if (!isObject(allowed) || tools.length === 0) {
    throw wrongValue(["tool_choice", "allowed_tools", "tools"], "must name at least one function");
  }
  const names = tools.map((tool, at) => nameIn(tool, ["tool_choice", "allowed_tools", "tools", at], declared));
  return { mode: allowed["mode"] === "required" ? "ANY" : "VALIDATED", allowedFunctionNames: names };
}

function nameIn(tool: unknown, path: Path, declared: ReadonlySet<string>): string {
  const fn = isObject(tool) ? tool["function"] : undefined;
  const name = isObject(fn) ? fn["name"] : undefined;
  if (typeof name === "string" && declared.has(name)) return name;
  throw wrongValue([...path, "function", "name"], "must be one of the functions in tools");
}
