import type { RequestObserver } from "../requests/request-notes.ts";
import { Deliverer, type DelivererOptions } from "../alerts/delivery/deliverer.ts";
import { Refusals } from "../alerts/rules/refusals.ts";
import { Watcher, type WatcherOptions } from "../alerts/rules/watcher.ts";

/** Starts the alert rules and the delivery of alerts, unless another process that shares the database runs them. */
export function startAlerts(
  options: Omit<WatcherOptions, "refusals" | "onRaised"> & DelivererOptions,
  isElsewhere: boolean,
): {
  deliverer: Deliverer;
  /** Observes the requests of model clients. */
  observe: RequestObserver;
  /** The rejected requests that `observe` has collected since the last evaluation. */
  refusals: Refusals;
  close(): Promise<void>;
} {
  const deliverer = new Deliverer(options);
  const refusals = new Refusals();
  const watcher = new Watcher({ ...options, refusals, onRaised: () => deliverer.wake() });
  const observe: RequestObserver = (ended) => refusals.note(ended);
  if (isElsewhere) return { deliverer, observe, refusals, close: async () => undefined };
  watcher.start();
  deliverer.start();
  return {
    deliverer,
    observe,
    refusals,
    async close() {
      await watcher.close();
      await deliverer.close();
    },
  };
}
