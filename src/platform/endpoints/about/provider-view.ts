import type { Preset } from "../../../vocabulary/preset.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../../../vocabulary/presets.ts";
import type { Schema } from "../../../vocabulary/schema.ts";

export const providerSchema: Schema = {
  title: "Provider",
  type: "object",
  required: ["id", "name", "dialect", "base_url", "needs_credential", "variable", "note"],
  properties: {
    id: { type: "string", enum: PRESET_IDS, description: "What an upstream names as its `preset`." },
    name: { type: "string" },
    dialect: { type: "string", enum: ["openai", "anthropic", "gemini"] },
    base_url: { type: "string", description: "Its address. `{…}` stands for a part that is the customer's own." },
    needs_credential: { type: "boolean" },
    variable: { type: "string", nullable: true, description: "The environment variable that its credential usually has." },
    note: { type: "string", nullable: true, description: "What to know before an upstream is made of it." },
  },
};

/** A preset, as whoever makes an upstream of it needs to know it. */
export function viewProvider(id: PresetId): Record<string, unknown> {
  const { name, dialect, baseUrl, isLocal = false, variables = [], ...rest } = presetOf(id) as Preset;
  return {
    id,
    name,
    dialect,
    base_url: baseUrl,
    needs_credential: !isLocal,
    variable: variables[0] ?? null,
    note: noteOn({ baseUrl, isLocal, ...rest }),
  };
}

function noteOn({ baseUrl, isLocal, isWithoutList }: Pick<Preset, "baseUrl" | "isLocal" | "isWithoutList">): string | null {
  const own = [...new Set(baseUrl.match(/\{\w+\}/g))];
  const notes = [
    ...(own.length > 0 ? [`Put your own ${own.join(" and ")} into the address.`] : []),
    ...(isWithoutList ? ["It does not list its models: name them yourself."] : []),
    ...(isLocal ? ["It runs on a machine of yours; this is its usual address."] : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}
