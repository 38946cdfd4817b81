import type { AdmittedRequest } from "../admitted-request.ts";
import { SampledRequest } from "./sampled-request.ts";

/** Samples a request of a model with a mirror. It is then in the notes, which send the copy when the request has ended. */
export function sampleForMirror(request: AdmittedRequest): void {
  const { chat, exchange, admission, gateway } = request;
  const { mirror } = admission.model;
  if (!mirror || !isSampled(exchange.requestId, mirror.percent)) return;
  if (gateway.mirrors.take(chat.byteText.length)) exchange.notes.mirror = new SampledRequest(mirror, request);
}

const RANGE = 2 ** 32;

/** By the last 32 bits of the request id, which are random: the same request is sampled at every percentage above its own. */
export function isSampled(requestId: string, percent: number): boolean {
  return Number.parseInt(requestId.slice(-8), 16) * 100 < percent * RANGE;
}
