import { isFields, type Fields } from "../../platform/json.ts";

/** The content of a JSON field: empty, a value, or a problem. */
interface ReadJson<T> {
  readonly value?: T;
  readonly problem?: string;
}

function readJson(typed: string): ReadJson<unknown> {
  if (typed.trim() === "") return {};
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch (error) {
    return { problem: `Invalid JSON. ${(error as Error).message}` };
  }
}

/** Parses an object, such as a JSON Schema. */
export function readObject(typed: string): ReadJson<Fields> {
  const { value, problem } = readJson(typed);
  if (problem !== undefined || value === undefined) return problem === undefined ? {} : { problem };
  return isFields(value) ? { value } : { problem: "Must be a JSON object." };
}

/** Parses the tool definitions. */
export function readTools(typed: string): ReadJson<readonly unknown[]> {
  const { value, problem } = readJson(typed);
  if (problem !== undefined || value === undefined) return problem === undefined ? {} : { problem };
  if (!Array.isArray(value) || value.length === 0) return { problem: "Must be a JSON array of tools." };
  for (const [at, tool] of value.entries()) {
    if (!isFields(tool)) return { problem: `Tool ${at + 1} must be an object.` };
    if (tool["type"] !== "function") continue;
    const { function: called } = tool;
    if (!isFields(called) || typeof called["name"] !== "string" || called["name"] === "")
      return { problem: `Tool ${at + 1} needs function.name.` };
  }
  return { value };
}

const OWN = new Set(["model", "messages", "stream", "tools"]);

/** Parses the additional fields. */
export function readMore(typed: string): ReadJson<Fields> {
  const { value, problem } = readObject(typed);
  if (problem !== undefined || value === undefined) return problem === undefined ? {} : { problem };
  const own = Object.keys(value).find((name) => OWN.has(name));
  return own === undefined ? { value } : { problem: `Use the form field for ${own}.` };
}

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "The weather in a city now.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  ],
  null,
  2,
);
