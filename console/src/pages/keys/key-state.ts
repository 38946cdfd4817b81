import type { Key } from "../../../../platform-client/types.ts";

const SOON_MS = 7 * 86_400_000;

export type KeyState = "active" | "expires soon" | "expired" | "revoked";

export function keyState({ active, expires_at: expires, revoked_at: revoked }: Key, nowMs = Date.now()): KeyState {
  if (revoked !== null) return "revoked";
  if (!active) return "expired";
  return expires !== null && Date.parse(expires) - nowMs < SOON_MS ? "expires soon" : "active";
}
