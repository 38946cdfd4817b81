import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Authorizer } from "./authorizer.ts";
import { sendAuthorized } from "./send-authorized.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect } from "./dialect.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** Requests an upstream's list of models, which is free of charge, with a short timeout. */
export function requestModels(
  settings: RemoteSettings,
  dialect: Dialect,
  authorizer: Authorizer | undefined,
  timeoutMs: number,
  signal: CancelSignal,
): Promise<UpstreamReply> {
  const request = {
    ...dialect.modelsRequest(settings, settings.credentials[0]),
    destination: new Destination(settings),
    signal,
    timeouts: { ...settings.timeouts, totalMs: timeoutMs },
    streaming: false,
  };
  return authorizer ? sendAuthorized(request, authorizer) : send(request);
}
