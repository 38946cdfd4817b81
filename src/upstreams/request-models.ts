import { ApiError } from "../requests/api-error.ts";
import { secretsIn } from "../models/headers/secret-headers.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Authorizer } from "./authorizer.ts";
import { addedHeaders } from "./added-headers.ts";
import { sendAuthorized } from "./send-authorized.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect, ListedModel, ModelsRequest, WireRequest } from "./dialect.ts";
import { readErrorBody } from "./refusal.ts";
import type { SentCredentials } from "./sent-credentials.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** The most pages, more than any provider has. A hostile server could announce another page forever. */
const MAX_PAGES = 20;

/** The authorizer of an upstream with an identity, and the credentials that its requests have sent. */
export interface RequestAuthorization {
  readonly authorizer: Authorizer | undefined;
  readonly sent: SentCredentials;
}

/** Requests a page of an upstream's list of models, by default the first, with a short timeout. It is free of charge. */
export function requestModels(
  settings: RemoteSettings,
  dialect: Dialect,
  by: RequestAuthorization,
  timeoutMs: number,
  signal: CancelSignal,
  page?: string,
): Promise<UpstreamReply> {
  return sendShort(settings, dialect.modelsRequest(settings, settings.credentials[0], page), by, timeoutMs, signal);
}

/** Sends a request that is free of charge, with a short timeout. */
export function sendShort(
  settings: RemoteSettings,
  wire: ModelsRequest & Partial<WireRequest>,
  by: RequestAuthorization,
  timeoutMs: number,
  signal: CancelSignal,
): Promise<UpstreamReply> {
  const { baseUrl = settings.baseUrl, ...sent } = wire;
  for (const secret of secretsIn(settings.headers)) by.sent.add(secret);
  const request = {
    ...sent,
    // These headers are only for the base URL, and for no other host.
    headers: wire.baseUrl === undefined ? { ...addedHeaders(settings), ...sent.headers } : sent.headers,
    destination: new Destination({ baseUrl, allowPrivate: settings.allowPrivate }),
    signal,
    timeouts: { ...settings.timeouts, totalMs: timeoutMs },
    streaming: false,
  };
  return by.authorizer ? sendAuthorized(request, by.authorizer, by.sent) : send(request);
}

/** Reads a list of models from its first page, and requests the pages after it with `request`. */
export async function readModels(
  firstPage: string,
  dialect: Dialect,
  request: (page: string) => Promise<UpstreamReply>,
): Promise<ListedModel[]> {
  const models = dialect.modelsIn(firstPage);
  let text = firstPage;
  let page = dialect.nextPage?.(text, undefined);
  for (let count = 1; page !== undefined && count < MAX_PAGES; count++) {
    const reply = await request(page);
    if (reply.status !== 200) {
      const detail = `it returned status ${reply.status} for the rest of its list: ${readErrorBody(await reply.beginning()).message}`;
      throw new ApiError("upstream_error", "The upstream failed to answer.", { detail });
    }
    text = await reply.text();
    models.push(...dialect.modelsIn(text));
    page = dialect.nextPage?.(text, page);
  }
  return models;
}
