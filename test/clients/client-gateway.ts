import { ledgerOf } from "../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { MODEL, type Access } from "./documented-settings.ts";
import { PlannedUpstream } from "./planned-upstream.ts";

/** A gateway with the model of the documented settings, and an upstream that follows plans. */
export interface ClientGateway {
  readonly upstream: MockUpstream;
  readonly planned: PlannedUpstream;
  readonly gateway: RunningGateway;
  stop(): Promise<void>;
}

export async function startClientGateway(): Promise<ClientGateway> {
  const planned = new PlannedUpstream();
  const upstream = startMockUpstream({ [`up-${MODEL}`]: planned.script });
  const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, [MODEL]) });
  return {
    upstream,
    planned,
    gateway,
    async stop() {
      await gateway.stop();
      await upstream.stop();
    },
  };
}

/** Creates a separate key for a client, so that the ledger shows which charges are the client's. */
export async function accessFor(gateway: RunningGateway): Promise<Access & { readonly keyId: string }> {
  const { id: keyId, key } = await gateway.makeKey([MODEL]);
  return { baseUrl: gateway.baseUrl, key, keyId };
}

/** The charges of a key in the ledger, by request. */
export function chargesOf(gateway: RunningGateway, keyId: string): bigint[] {
  const settled = ledgerOf(gateway).filter((row) => row.key_id === keyId && row.kind === "settle");
  return settled.map((row) => row.amount_nanos);
}
