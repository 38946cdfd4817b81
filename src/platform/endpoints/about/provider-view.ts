import type { Preset } from "../../../models/preset.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../../../models/presets.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

export const providerSchema = {
  title: "Provider",
  type: "object",
  required: ["id", "name", "dialect", "base_url", "needs_credential", "variable", "note"],
  properties: {
    id: { type: "string", enum: PRESET_IDS, description: "The `preset` value for an upstream of this provider." },
    name: { type: "string" },
    dialect: { type: "string", enum: ["openai", "anthropic", "gemini", "bedrock"] },
    base_url: { type: "string", description: "The base URL. `{…}` marks a part that is specific to the customer." },
    needs_credential: { type: "boolean" },
    variable: { type: "string", nullable: true, description: "The environment variable that usually holds the credential." },
    note: { type: "string", nullable: true, description: "Notes on setting up an upstream of this provider." },
  },
} as const satisfies Schema;

/** A provider preset, as needed to create an upstream. */
export function viewProvider(id: PresetId) {
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

function noteOn({ baseUrl, isLocal, hasNoModelList }: Preset): string | null {
  const own = [...new Set(baseUrl.match(/\{\w+\}/g))];
  const notes = [
    ...(own.length > 0 ? [`Replace ${own.join(" and ")} in the base URL with your own.`] : []),
    ...(hasNoModelList ? ["It does not list its models: enter their names yourself."] : []),
    ...(isLocal ? ["It runs on your own machine; this is its usual base URL."] : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}
