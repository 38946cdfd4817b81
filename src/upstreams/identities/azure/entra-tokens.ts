import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { callCloud, type CloudReply } from "../call-cloud.ts";
import { CloudClock } from "../cloud-clock.ts";
import type { AccessToken } from "../credential-source.ts";
import type { Authority } from "./azure-endpoints.ts";
import { entraFailure, isAboutTime } from "./entra-failure.ts";
import { readTokenReply } from "./token-reply.ts";

/** A registered application, and how it proves that it is the one. */
export interface EntraClient {
  readonly tenantId: string;
  readonly clientId: string;
  readonly prove: Proof;
}

/** The fields of a token request that prove who the client is, for a token endpoint at a time. */
export type Proof = (endpoint: string, atMs: number) => ProofFields;

export type ProofFields =
  | { readonly client_secret: string }
  | { readonly client_assertion: string; readonly client_assertion_type: typeof ASSERTION_TYPE };

/** RFC 7523 §2.2. */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Access tokens of Entra ID for applications (client credentials, RFC 6749 §4.4). */
export class EntraTokens {
  readonly #clock: CloudClock;

  constructor(nowMs: () => number) {
    this.#clock = new CloudClock({ nowMs });
  }

  get clockSkewMs(): number {
    return this.#clock.skewMs;
  }

  /** An assertion that was rejected by another clock is signed again with its time. */
  async obtain(client: EntraClient, authority: Authority, resource: string, signal: CancelSignal): Promise<AccessToken> {
    const endpoint = `${authority.url}/${encodeURIComponent(client.tenantId)}/oauth2/v2.0/token`;
    const request = async (): Promise<{ reply: CloudReply; fields: ProofFields }> => {
      const fields = client.prove(endpoint, this.#clock.nowMs());
      const form = { client_id: client.clientId, scope: `${resource}/.default`, grant_type: "client_credentials", ...fields };
      const headers = { "content-type": "application/x-www-form-urlencoded;charset=utf-8", accept: "application/json" };
      const body = new URLSearchParams(form).toString();
      return { reply: await callCloud({ url: endpoint, at: authority.at, headers, body }, signal), fields };
    };
    let { reply, fields } = await request();
    if (isAboutTime(reply) && this.#clock.correct(reply.serverMs)) ({ reply, fields } = await request());
    if (reply.status !== 200) throw entraFailure(reply, Object.values(fields));
    return readTokenReply(reply, "Entra ID", this.#clock.localMs());
  }
}
