import type { Key } from "../../../../platform-client/types.ts";

const SOON_MS = 7 * 86_400_000;

export type KeyState = "active" | "expires soon" | "paused" | "expired" | "revoked" | "archived" | "account archived";

export function keyState({ active, archived_at: archived, expires_at: expires, state }: Key, nowMs = Date.now()): KeyState {
  if (archived !== null) return "archived";
  if (state !== "active") return state;
  if (!active) return "account archived";
  return expires !== null && Date.parse(expires) - nowMs < SOON_MS ? "expires soon" : "active";
}
