import type { Timeouts } from "../../../../../platform-client/types.ts";

export const TIMEOUTS = ["connect_ms", "first_byte_ms", "between_chunks_ms", "non_streamed_ms", "total_ms"] as const;

export type TimeoutName = (typeof TIMEOUTS)[number];

/** Timeouts in a form, in milliseconds. Empty if no timeout is set. */
export type TimeoutsDraft = Readonly<Record<TimeoutName, string>>;

export function timeoutsDraftOf(timeouts: Timeouts | null | undefined): TimeoutsDraft {
  return Object.fromEntries(TIMEOUTS.map((name) => [name, String(timeouts?.[name] ?? "")])) as TimeoutsDraft;
}

/** The edited timeouts; a cleared timeout is null. */
export function editedTimeouts(draft: TimeoutsDraft, before: TimeoutsDraft): Readonly<Partial<Record<TimeoutName, number | null>>> {
  const edited = TIMEOUTS.filter((name) => draft[name].trim() !== before[name]);
  return Object.fromEntries(edited.map((name) => [name, draft[name].trim() === "" ? null : parseInteger(draft[name])]));
}

/** Parses an integer. Other text is sent unchanged, and the server returns the error message. */
export function parseInteger(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number);
}
