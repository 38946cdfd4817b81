import type { Socket } from "node:net";
import type { Dialect } from "../../src/models/upstream-settings.ts";
import type { ModelEndpoint } from "../support/endpoints.ts";

/** The request that a hostile upstream received. */
export interface ReceivedRequest {
  readonly stream: boolean;
  /** The head of the request, including the upstream's credential. */
  readonly head: string;
}

/** The response of the upstream to it. */
export type Play = (socket: Socket, request: ReceivedRequest) => void | Promise<void>;

/** The reply that the client must receive. */
export type Outcome =
  /** No part of a response arrived: an error, and no charge. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string }
  /** The response started but was interrupted: the text so far, an error frame, and a charge for that text. */
  | { readonly kind: "broken"; readonly code: string; readonly text: string }
  /** A complete response, charged by the usage of the upstream, or by an estimate if there is no usage. */
  | { readonly kind: "answered"; readonly text: string; readonly isCounted: boolean }
  /** Ambiguous input: either a valid response or an upstream error. */
  | { readonly kind: "sane" };

export interface HostileCase {
  /** The upstream's behaviour, for the name of the test. */
  readonly name: string;
  readonly dialect: Exclude<Dialect, "echo">;
  readonly play: Play;
  /** The outcome of a JSON request and of a streaming request. Absent if the case does not apply. */
  readonly json?: Outcome;
  readonly stream?: Outcome;
  /** The case is ended by a timeout: its upstream has short timeouts. All other cases have long ones. */
  readonly isSlow?: boolean;
  /** The case tests memory use: it runs alone, while the memory of the gateway is measured. */
  readonly isHuge?: boolean;
}

export const refused = (status: number, code: string): Outcome => ({ kind: "refused", status, code });
export const broken = (text: string, code = "upstream_error"): Outcome => ({ kind: "broken", code, text });
export const answered = (text = "Hello world"): Outcome => ({ kind: "answered", text, isCounted: true });
export const answeredUncounted = (text = "Hello world"): Outcome => ({ kind: "answered", text, isCounted: false });

export const FAILED = refused(502, "upstream_error");
export const TOO_SLOW = refused(504, "upstream_timeout");
export const BUSY = refused(503, "overloaded");
export const SANE: Outcome = { kind: "sane" };

/** Whether an endpoint reaches the upstream of a case by a relay, which forwards what it does not know. */
export function isRelayed({ dialect }: HostileCase, { name }: ModelEndpoint): boolean {
  return name === "messages" ? dialect === "anthropic" : dialect === "responses";
}

/** The same outcome for a JSON request and a streaming request. */
export const both = (outcome: Outcome): Pick<HostileCase, "json" | "stream"> => ({ json: outcome, stream: outcome });

type Table = Readonly<Record<string, Omit<HostileCase, "name" | "dialect">>>;

/** Cases of the chat-completions format, by name. */
export function openaiCases(table: Table): HostileCase[] {
  return Object.entries(table).map(([name, rest]) => ({ name, dialect: "openai", ...rest }));
}
