import type { DeviationCount } from "../../models/deviation.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import type { EndedRequest, RequestObserver } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import { ChatMetrics } from "./chat-metrics.ts";
import { EventLoopLag } from "./event-loop-lag.ts";
import { writeExposition, type Family } from "./exposition.ts";
import { IdentityMetrics } from "./identity-metrics.ts";
import { ListenerFamilies, ListenerMetrics } from "./listener-metrics.ts";
import type { MergedMetrics } from "./merged-metrics.ts";
import { processFamilies, type ProcessState } from "./process-metrics.ts";
import { deviationFamily, upstreamFamilies, UpstreamNames } from "./upstream-metrics.ts";

/** The current values of all gauges. */
export interface Measured {
  readonly process: ProcessState;
  readonly upstreams: Iterable<readonly [id: string, UpstreamHealth]>;
  readonly deviations: readonly DeviationCount[];
}

/** All metrics and their export. */
export class Metrics {
  readonly #names = new UpstreamNames();
  readonly #chats = new ChatMetrics(this.#names.upstreams);
  readonly #identities = new IdentityMetrics(this.#names.upstreams, Date.now);
  readonly #listeners = new ListenerFamilies();
  readonly #lag = new EventLoopLag();

  /** Observes the requests of model clients. */
  ofGateway(): RequestObserver {
    const listener = new ListenerMetrics(this.#listeners, "gateway");
    return (ended) => {
      listener.note(ended.status, ended.notes.code);
      if (isChat(ended)) this.#chats.note(ended, outcomeOf(ended), timingsOf(ended));
    };
  }

  ofPlatform(): RequestObserver {
    const listener = new ListenerMetrics(this.#listeners, "platform");
    return ({ status, notes }) => listener.note(status, notes.code);
  }

  /** The text for Prometheus. With those of gateway processes, where this process is their owner. */
  write(measured: Measured, ofProcesses?: MergedMetrics): Promise<string> {
    const families = this.families(measured);
    return writeExposition(ofProcesses ? ofProcesses.merge(families) : families);
  }

  families({ process, upstreams, deviations }: Measured): readonly Family[] {
    const health = [...upstreams];
    return [
      ...this.#chats.families,
      ...this.#listeners.all,
      ...upstreamFamilies(health, this.#names),
      ...this.#identities.families(health),
      deviationFamily(deviations, this.#names),
      ...processFamilies(process),
      this.#lag.family,
    ];
  }

  stop(): void {
    this.#lag.stop();
  }
}

/** The path may be arbitrary: it is only compared. */
function isChat({ method, path }: EndedRequest): boolean {
  return method === "POST" && path === "/v1/chat/completions";
}
