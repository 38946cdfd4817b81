import { answersAreTheUpstreams } from "./answers.ts";
import { crashLosesNothing } from "./crash.ts";
import { credentialStaysHidden } from "./credential.ts";
import { refusalsStillWork } from "./refusals.ts";
import { streamsAreWhole } from "./streams.ts";

/** Each check returns a sentence about its result, and throws when it fails. */
const CHECKS: readonly (() => Promise<string>)[] = [
  answersAreTheUpstreams,
  streamsAreWhole,
  refusalsStillWork,
  credentialStaysHidden,
  crashLosesNothing,
];

/** Checks before the measurement, so that no result comes from a gateway that omits work. The first failed check ends the run. */
export async function passGate(reportProgress: (text: string) => void): Promise<string[]> {
  const seen: string[] = [];
  for (const check of CHECKS) {
    seen.push(await check());
    reportProgress(`gate: ${seen.at(-1)}`);
  }
  return seen;
}
