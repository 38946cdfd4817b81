import { Deliverer, type DelivererOptions } from "./deliverer.ts";
import { Watcher, type WatcherOptions } from "./watcher.ts";

/** Looks for what operators want to be told of, and tells them, until it is closed. */
export function startAlerts(options: Omit<WatcherOptions, "onRaised"> & DelivererOptions): {
  deliverer: Deliverer;
  close(): Promise<void>;
} {
  const deliverer = new Deliverer(options);
  const watcher = new Watcher({ ...options, onRaised: () => deliverer.wake() });
  watcher.start();
  deliverer.start();
  return {
    deliverer,
    async close() {
      await watcher.close();
      await deliverer.close();
    },
  };
}
