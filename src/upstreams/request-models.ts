import type { RemoteSettings } from "../models/upstream-settings.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect } from "./dialect.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** Asks an upstream for its models, which costs nothing. Nobody waits long for it. */
export function askForModels(settings: RemoteSettings, dialect: Dialect, patienceMs: number, signal: CancelSignal): Promise<UpstreamReply> {
  return send({
    ...dialect.modelsRequest(settings, settings.credentials[0]),
    destination: new Destination(settings),
    signal,
    timeouts: { ...settings.timeouts, totalMs: patienceMs },
    streaming: false,
  });
}
