import { answersAreTheUpstreams } from "./answers.ts";
import { crashLosesNothing } from "./crash.ts";
import { credentialStaysHidden } from "./credential.ts";
import { refusalsStillWork } from "./refusals.ts";
import { streamsAreWhole } from "./streams.ts";

/** Each gives a sentence about what it has seen, and throws where it is not so. */
const CHECKS: readonly (() => Promise<string>)[] = [
  answersAreTheUpstreams,
  streamsAreWhole,
  refusalsStillWork,
  credentialStaysHidden,
  crashLosesNothing,
];

/** A gateway that is fast because it has left something out has no figures: the first check that fails ends the run. */
export async function passGate(tell: (text: string) => void): Promise<string[]> {
  const seen: string[] = [];
  for (const check of CHECKS) {
    seen.push(await check());
    tell(`gate: ${seen.at(-1)}`);
  }
  return seen;
}
