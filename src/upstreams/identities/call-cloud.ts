import type { CancelSignal } from "../../lib/async/cancellation.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import type { Timeouts } from "../../models/timeouts.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { Destination } from "../egress/destination.ts";
import { send, type UpstreamReply } from "../egress/send.ts";
import { IdentityFailure } from "./credential-source.ts";
import { operatorMessageOf } from "../../requests/operator-message.ts";

/** A request to a token service, or to the metadata service of a cloud. */
interface CloudRequest {
  readonly url: string;
  readonly method?: "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent with POST. */
  readonly body?: string;
  /** Which addresses the request may go to. */
  readonly at: CloudAddressPolicy;
}

/**
 * `internet`: a public address over https. `chosen`: an endpoint that the operator set by an environment variable, a file or a setting, and
 * which may be private. `metadata`: the metadata service, or the address that an environment variable sets for it.
 */
export type CloudAddressPolicy = "internet" | "chosen" | "metadata";

export interface CloudReply {
  readonly status: number;
  readonly text: string;
  readonly headers: HeadersRead;
  /** The time at the server, in milliseconds since 1970; undefined if it sent no date. */
  readonly serverMs: number | undefined;
}

const TIMEOUT_MS = 10_000;
/** The timeout of the metadata service, which is close by in its cloud, and missing elsewhere. */
const METADATA_TIMEOUT_MS = 2_000;
const MAX_BYTES = 256 * 1024;

/** Calls a cloud for credentials. Throws `IdentityFailure` if the cloud cannot be reached. */
export async function callCloud(request: CloudRequest, signal: CancelSignal): Promise<CloudReply> {
  const { origin, pathname, search, host } = new URL(request.url);
  const { at, method, headers = {}, body } = request;
  const destination = new Destination({ baseUrl: origin, allowPrivate: at !== "internet", isForMetadata: at === "metadata" });
  const ms = at === "metadata" ? METADATA_TIMEOUT_MS : TIMEOUT_MS;
  const timeouts: Timeouts = { connectMs: ms, firstByteMs: ms, betweenChunksMs: ms, totalMs: ms };
  try {
    const reply = await send({
      destination,
      path: pathname + search,
      headers,
      ...(method && { method }),
      ...(body !== undefined && { body: [toByteText(body)] }),
      signal,
      timeouts,
      streaming: false,
    });
    const { status, headers: received } = reply;
    return { status, headers: received, text: await reply.text(MAX_BYTES), serverMs: dateOf(reply) };
  } catch (error) {
    throw new IdentityFailure("unreachable", `${host} cannot be reached: ${operatorMessageOf(error)}`);
  }
}

/** A `Date` header has whole seconds. */
const DATE_PRECISION_MS = 1_000;

/** Converts a time from the server's clock to the clock of this machine; if inexact, rather too early than too late. */
export function toLocalMs(serverMs: number, reply: CloudReply, nowMs: number): number {
  return reply.serverMs === undefined ? serverMs : serverMs - (reply.serverMs + DATE_PRECISION_MS) + nowMs;
}

function dateOf(reply: UpstreamReply): number | undefined {
  const ms = Date.parse(reply.headers.get("date") ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
