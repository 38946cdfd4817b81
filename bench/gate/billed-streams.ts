import type { SseMock } from "../mock/sse-mock.ts";
import type { Entrant } from "../systems/system.ts";
import { isTollgate } from "../systems/tollgate.ts";
import { billedBy, billedOnceThere, mustBeTokens } from "./billed.ts";

/** Records the charged and the issued tokens. The returned function is called after the streams: both must have grown by the same amount. */
export async function watchStreamBilling({ running }: Entrant, mock: SseMock): Promise<() => Promise<void>> {
  if (!isTollgate(running)) return async () => {};
  const [before, issuedBefore] = [await billedBy(running), await mock.counters()];
  return async () => {
    const { finished, promptTokens, completionTokens } = await mock.counters();
    const streams = finished - issuedBefore.finished;
    mustBeTokens(
      before,
      await billedOnceThere(running, before, streams),
      streams,
      promptTokens - issuedBefore.promptTokens,
      completionTokens - issuedBefore.completionTokens,
    );
  };
}
