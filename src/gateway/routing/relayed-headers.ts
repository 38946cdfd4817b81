import { hashKeyed, isSameHash } from "../../lib/secret/checked-secret.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { HeadersRead } from "../../upstreams/upstream.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * Codex's token for sticky routing: an upstream sends it with the first response of a turn, and Codex returns it with every other request of
 * the turn (https://github.com/openai/codex/blob/main/codex-rs/core/src/client.rs).
 */
const TURN_STATE = "x-codex-turn-state";

/** Reply headers that clients receive unchanged. Others would name the operator's account and its limits. */
const PASSED_ON = ["x-reasoning-included"] as const;

/** Where a turn state is valid: in one account of the gateway, at one upstream with one credential. */
export interface TurnStateScope {
  readonly accountId: string;
  readonly upstream: string;
  readonly credential: Secret | undefined;
  readonly hashSecret: Secret;
}

/** The client's headers, with the turn state only where it is valid. */
export function headersForUpstream(headers: Headers, scope: TurnStateScope): Headers {
  // Most requests have none, and copying their headers would cost.
  if (headers[TURN_STATE] === undefined) return headers;
  const { [TURN_STATE]: sealed, ...others } = headers;
  const state = opened(sealed, scope);
  return state === undefined ? others : { ...others, [TURN_STATE]: state };
}

/** The upstream's headers that the client receives, with the turn state bound to its scope. */
export function headersForClient(headers: HeadersRead, scope: TurnStateScope): Headers {
  const passed: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = headers.get(name);
    if (value !== null && isSendable(value)) passed[name] = value;
  }
  const state = headers.get(TURN_STATE);
  if (state !== null && isSendable(state)) passed[TURN_STATE] = `${sealOf(state, scope).toString("base64url")}.${state}`;
  return passed;
}

/** Clients reject a reply with a header that is very long, or not ASCII. */
function isSendable(value: string): boolean {
  return /^[\x20-\x7e]{1,2048}$/.test(value);
}

function opened(sealed: string, scope: TurnStateScope): string | undefined {
  const dot = sealed.indexOf(".");
  const state = sealed.slice(dot + 1);
  return isSameHash(sealOf(state, scope), Buffer.from(sealed.slice(0, Math.max(dot, 0)), "base64url")) ? state : undefined;
}

function sealOf(state: string, { accountId, upstream, credential, hashSecret }: TurnStateScope): Buffer {
  return Buffer.from(hashKeyed(JSON.stringify([TURN_STATE, accountId, upstream, credential?.reveal(), state]), hashSecret));
}
