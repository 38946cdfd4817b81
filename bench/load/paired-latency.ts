/** Measures the latency that a gateway adds: see README.md. */
import { runProgram } from "./argument.ts";
import { measurePairs, type PairOptions } from "./measure-pairs.ts";

await runProgram<PairOptions>(["direct", "target"], measurePairs);
