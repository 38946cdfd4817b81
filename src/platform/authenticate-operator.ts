import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Platform } from "./platform.ts";

/** Lets the operator token through and nothing else: a model key is not a credential here, whatever it may call. */
export function authenticateOperator(request: Request, platform: Platform): void {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (!timingSafeEqual(digest(token), digest(platform.operatorToken.reveal()))) {
    throw new GatewayError("invalid_operator_token", "The operator token is required: Authorization: Bearer …");
  }
}

/** Digests have one length, which the comparison needs and which hides the token's own. */
function digest(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
