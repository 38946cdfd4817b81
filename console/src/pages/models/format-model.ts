import type { Model } from "../../platform/interface.ts";
import { exactMoney } from "../../parts/format.ts";
import type { Tone } from "../../parts/tone.ts";

export const STATE_TONES: Record<Model["state"], Tone> = { available: "good", deprecated: "warn", retired: "plain" };

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

/** One that the file declares is changed there, and one that has ended not at all. */
export function canBeChanged({ state, managed_by }: Pick<Model, "state" | "managed_by">): boolean {
  return state !== "retired" && managed_by === "operator";
}

/** Dollars for a million tokens, with every digit. */
export function rate(dollars: number | undefined): string {
  return dollars === undefined ? "–" : exactMoney(String(dollars));
}

const DAY_MS = 86_400_000;

/** Days until a day of the calendar begins, in UTC, as shutdown dates are meant. Negative once it is over. */
export function daysUntil(day: string, nowMs = Date.now()): number {
  return Math.round((Date.parse(day) - Math.floor(nowMs / DAY_MS) * DAY_MS) / DAY_MS);
}

/** How soon, in words that continue a sentence. */
export function daysInWords(days: number): string {
  if (days === 0) return "today";
  const size = Math.abs(days) === 1 ? "1 day" : `${Math.abs(days)} days`;
  return days > 0 ? `in ${size}` : `${size} ago`;
}
