import { CannotMeasure } from "./argument.ts";
import { askJson } from "./ask-json.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { compareAnswers } from "./same-answer.ts";
import { Samples } from "./samples.ts";
import { jsonRequest, type Target } from "./target.ts";

export interface PairOptions {
  readonly direct: Target;
  readonly target: Target;
  readonly pairs?: number;
  readonly warmup?: number;
}

/** One request at a time, alternately direct and through the target: other load on the machine affects both, and cancels out. */
export async function measurePairs({ direct, target, pairs = 5000, warmup = 500 }: PairOptions): Promise<object> {
  const [straight, through] = await Promise.all([Connection.open(direct), Connection.open(target)]);
  const straightRequest = jsonRequest(direct);
  const throughRequest = jsonRequest(target);
  const [directUs, targetUs, addedUs] = [new Samples(), new Samples(), new Samples()];
  const counts = { identical: 0, changed: 0, wrong: 0 };
  const errors = new Errors();
  const original = await askJson(straight, straightRequest);
  if (original.status !== 200) throw new CannotMeasure(`The direct answer has status ${original.status}.`);
  for (let pair = -warmup; pair < pairs; pair++) {
    const first = await askJson(straight, straightRequest);
    const second = await askJson(through, throughRequest);
    if (pair < 0) continue;
    const verdict = second.status === 200 ? compareAnswers(second.body, original.body) : "wrong";
    counts[verdict]++;
    if (verdict === "wrong") {
      errors.add(second.status === 200 ? "a wrong answer" : `status ${second.status}`);
      continue;
    }
    directUs.add(first.us);
    targetUs.add(second.us);
    addedUs.add(second.us - first.us);
  }
  straight.leave();
  through.leave();
  const { identical, changed } = counts;
  const samples = { directUs: directUs.summary(), targetUs: targetUs.summary(), addedUs: addedUs.summary() };
  return { ...errors.verdict(), pairs, ...samples, identical, changed };
}
