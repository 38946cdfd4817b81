import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../vocabulary/access.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Platform } from "./platform.ts";

/** Whoever runs the process. Needs no person: automation has it before there is any. */
const OPERATOR_TOKEN: Actor = {
  id: "operator-token",
  name: "operator token",
  role: "operator",
  accountId: null,
  scopes: null,
  personId: null,
  sessionId: null,
};

/** Who makes this request. A model key is not a credential here, whatever it may call. */
export function authenticate(request: Request, platform: Platform): Actor {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (isEqual(token, platform.operatorToken.reveal())) return OPERATOR_TOKEN;
  throw new GatewayError("not_signed_in", "Sign in, or send a token: Authorization: Bearer …");
}

/** Digests have one length, which the comparison needs and which hides the token's own. */
function isEqual(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
