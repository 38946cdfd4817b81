import type { Model } from "../../../../platform-client/types.ts";
import { exactMoney } from "../../parts/format/format.ts";
import type { Tone } from "../../parts/tone.ts";

export const STATE_TONES: Record<Model["state"], Tone> = { available: "good", deprecated: "warn", retired: "plain" };

export const KINDS: Readonly<Record<Model["kind"], string>> = { chat: "Chat", embedding: "Embedding" };

export const CAPABILITIES = {
  tools: "Tools",
  images: "Images",
  files: "Files",
  audio: "Audio",
  json_schema: "JSON schema",
  reasoning: "Reasoning",
  caching: "Caching",
} as const;

export type Capability = keyof typeof CAPABILITIES;

/** Models of the config file are edited there; retired models are read-only. */
export function isEditable({ state, managed_by }: Pick<Model, "state" | "managed_by">): boolean {
  return state !== "retired" && managed_by === "operator";
}

/** US dollars per million tokens, with all digits. */
export function rate(dollars: number | undefined): string {
  return dollars === undefined ? "–" : exactMoney(String(dollars));
}

const DAY_MS = 86_400_000;

/** Days until the start of a date in UTC, the time zone of shutdown dates. Negative in the past. */
export function daysUntil(day: string, nowMs = Date.now()): number {
  return Math.round((Date.parse(day) - Math.floor(nowMs / DAY_MS) * DAY_MS) / DAY_MS);
}

/** A relative date for the middle of a sentence: "in 3 days". */
export function formatDays(days: number): string {
  if (days === 0) return "today";
  const size = Math.abs(days) === 1 ? "1 day" : `${Math.abs(days)} days`;
  return days > 0 ? `in ${size}` : `${size} ago`;
}
