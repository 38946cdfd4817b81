import { relays, type BenchRun } from "../bench-run.ts";
import type { Scenario } from "../report/result.ts";
import { ABOUT_STREAMS, streamParts } from "./s5-streams.ts";

/** Few enough streams that the slowest peer can nearly keep up on one core. Chunks that it delays are merged, and then cost less each. */
const COUNT = { streams: 20, repeats: 2 };

export async function peersStreams(run: BenchRun): Promise<Scenario> {
  return {
    id: "P2",
    title: "Peers: streams",
    load: `${ABOUT_STREAMS}: ${COUNT.streams} at once, two after the other.`,
    parts: await streamParts({ ...run, systems: relays(run) }, [COUNT]),
    notes: [
      "Every stream is compared, by the text of each chunk in its order, the finish reason, the token counts and `[DONE]`; a stream that lacks one makes the round void. Comments and additional fields are allowed.",
      "A gateway that cannot keep up delivers several chunks together: its CPU time per chunk is then lower than it would be for chunks on time.",
    ],
  };
}
