import type { Preset } from "../../../models/preset.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../../../models/presets.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

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
  const preset = presetOf(id);
  return {
    id,
    name: preset.name,
    dialect: preset.dialect,
    base_url: preset.baseUrl,
    needs_credential: !preset.isLocal,
    variable: preset.variables?.[0] ?? null,
    note: noteOn(preset),
  };
}

function noteOn({ baseUrl, isLocal, isWithoutList }: Preset): string | null {
  const own = [...new Set(baseUrl.match(/\{\w+\}/g))];
  const notes = [
    ...(own.length > 0 ? [`Put your own ${own.join(" and ")} into the address.`] : []),
    ...(isWithoutList ? ["It does not list its models: name them yourself."] : []),
    ...(isLocal ? ["It runs on a machine of yours; this is its usual address."] : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}
