import { DeviationCounts } from "../../gateway/routing/health/deviation-counts.ts";
import { UpstreamStates } from "../../gateway/routing/health/upstream-state.ts";
import { HealthHints } from "../../gateway/routing/shared-health/health-hints.ts";
import { HealthReporter } from "../../gateway/routing/shared-health/reported-health.ts";
import { SlotLeases } from "../../gateway/routing/slots/slot-leases.ts";
import type { IpcPeer, ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import { healthIn } from "../gateway-upstreams.ts";
import { Upstreams } from "../../upstreams/registry.ts";

const monotonicMs = (): number => performance.now();

/** The upstreams of a gateway process. Their slots, ejections and cooldowns are those of all processes. */
export class SharedUpstreams {
  readonly upstreams: Upstreams;
  readonly states: UpstreamStates;
  readonly deviations = new DeviationCounts();
  readonly services: readonly ProcessService[];

  constructor(owner: IpcPeer, catalog: CatalogReader, variables: CloudVariables) {
    this.upstreams = new Upstreams(variables);
    const slots = new SlotLeases(owner);
    const observer = new HealthHints({
      owner,
      findState: (id) => {
        const settings = catalog.upstreams().get(id);
        return settings && this.states.of(this.upstreams.of(settings));
      },
      nowMs: monotonicMs,
    });
    this.states = new UpstreamStates(monotonicMs, { slots, observer });
    const reporter = new HealthReporter({
      owner,
      upstreams: () => catalog.upstreams().values(),
      healthOf: (settings) => this.healthOf(settings),
      deviations: this.deviations,
    });
    this.services = [slots, observer, reporter];
  }

  /** As the calls of this process show it. */
  healthOf(settings: UpstreamSettings): UpstreamHealth {
    return healthIn(this)(settings);
  }
}
