import type { ChunkStream, Completion, UpstreamCall } from "../upstreams/upstream.ts";
import type { Attempt } from "../vocabulary/attempt.ts";
import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { Model } from "../vocabulary/catalog.ts";
import { DEFAULT_TIMEOUTS, NO_TIMEOUTS, type Timeouts, type UpstreamSettings } from "../vocabulary/upstream-settings.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import type { Answer } from "./answer.ts";
import { CallerDeadline, readClientTimeout, readPatience } from "./routing/caller-deadline.ts";
import type { RouteChoice, Target } from "./routing/route-choice.ts";
import { filledInLimit } from "./routing/told-limit.ts";
import { Tries } from "./routing/tries.ts";
import { Ending, type EndSignal } from "../vocabulary/end-signal.ts";

/** Starts the call, and goes on to other routes until one answers. From here on nothing but timeouts, and the caller's leaving, limits the wait. */
export function callUpstream(choice: RouteChoice, context: AdmittedRequest): Answer {
  const { chat, admission, exchange, gateway } = context;
  exchange.allowSilence(0);
  if (exchange.request.signal.aborted) throw new CallerGone();
  const deadline = deadlineOf(context);
  const budget = gateway.retryBudgets.of(admission.model.id);
  budget.noteRequest();
  const tries = new Tries({
    choice,
    budget,
    deadline,
    callTo: (target, attempt) => toCall(target, attempt, context, deadline.signal),
    at: (target) => {
      admission.upstream = target?.route.upstream;
      admission.upstreamModel = target?.route.upstreamModel;
      admission.attempts = tries.attempts.length;
      if (!target) return;
      admission.lastTriedAt = target.route.upstream;
      admission.carriage = target.carriage;
      admission.filledInLimit = filledInLimit(target.upstream.settings, chat, admission.reckonedTokens);
    },
  });
  admission.failedAttempts = tries.failed;
  exchange.notes.attempts = tries.attempts;
  if (chat.stream) return { kind: "events", opening: open(tries, context) };
  return { kind: "json", completion: complete(tries, context) };
}

/** An answer that is kept for another try is worth having after the caller is gone, or has waited long enough. */
function deadlineOf({ claim, exchange: { request, startedAtMs } }: AdmittedRequest): CallerDeadline {
  if (claim) return new CallerDeadline(new Ending(), undefined, startedAtMs);
  return new CallerDeadline(request.signal, readPatience(request.headers), startedAtMs, () => readClientTimeout(request.headers));
}

async function complete(tries: Tries, { exchange }: AdmittedRequest): Promise<Completion> {
  const { answer, ended } = await tries.run((upstream, call) => upstream.complete(call));
  ended(false);
  exchange.notes.begunAt = performance.now();
  return answer;
}

/** A stream is under way until its request is closed, whatever closes it. */
async function open(tries: Tries, { admission, exchange }: AdmittedRequest): Promise<ChunkStream> {
  const { answer, ended } = await tries.run((upstream, call) => upstream.stream(call));
  exchange.notes.begunAt = performance.now();
  void admission.closed.then(() => ended(admission.hasBrokenOff));
  return answer;
}

function toCall(
  { upstream, route, carriage, credential }: Target,
  attempt: Attempt,
  { chat, admission, exchange, gateway }: AdmittedRequest,
  signal: EndSignal,
): UpstreamCall {
  const { model, maxTokens, reckonedTokens } = admission;
  return {
    chat,
    upstreamModel: route.upstreamModel,
    carriage,
    maxTokens,
    reckonedTokens,
    credential: credential.secret,
    timeouts: timeoutsFor(model, upstream.settings),
    signal,
    traceHeaders: exchange.notes.trace?.begin(attempt),
    report: (deviation) => gateway.deviations.note(route.upstream, model.id, deviation),
  };
}

function timeoutsFor({ timeouts }: Model, settings: UpstreamSettings): Timeouts {
  const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
  return timeouts === NO_TIMEOUTS ? own : { ...own, ...timeouts };
}
