import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { moment } from "../../parts/format/format.ts";
import type { Key } from "../../../../platform-client/types.ts";
import { keyState, type KeyState } from "./key-state.ts";

const TONES = {
  active: "good",
  "expires soon": "warn",
  paused: "warn",
  expired: "plain",
  revoked: "plain",
  archived: "plain",
  "account archived": "plain",
} as const satisfies Record<KeyState, string>;

export function KeyBadge({ of }: { readonly of: Key }): ReactNode {
  const state = keyState(of);
  const since = of.revoked_at ?? of.archived_at ?? of.paused_at ?? of.expires_at;
  return (
    <Badge tone={TONES[state]} {...(since !== null && { title: moment(since) })}>
      {state}
    </Badge>
  );
}
