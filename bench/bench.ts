/** `npm run bench`: how fast this gateway is beside others. bench/README.md tells how it is measured. */
import { parseArgs } from "node:util";
import type { BenchRun } from "./bench-run.ts";
import { coresMissing, pinThisProcess } from "./machine/cores.ts";
import { raiseFileLimit } from "./machine/file-limit.ts";
import { toolsMissing } from "./machine/tools.ts";
import { SCENARIOS } from "./scenarios.ts";
import { textTables } from "./report/text-tables.ts";
import { bunFetch } from "./systems/bun-fetch.ts";
import { direct } from "./systems/direct.ts";
import { nginx } from "./systems/nginx.ts";
import { portkey } from "./systems/portkey.ts";
import { tollgate } from "./systems/tollgate.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    systems: { type: "string" },
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "6" },
    soak: { type: "boolean", default: false },
    noise: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const missing = coresMissing() ?? toolsMissing();
if (missing !== null) {
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}
pinThisProcess();
raiseFileLimit();
const others = portkey();
const systems = [direct, nginx, tollgate, bunFetch, ...(others ? [others] : [])];
const wanted = options.systems?.split(",");
const run: BenchRun = {
  systems: systems.filter(({ name }) => name === "nginx" || !wanted || wanted.includes(name)),
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  soak: options.soak,
  noise: options.noise,
  scale: options.quick ? 0.1 : 1,
  tell: (text) => void process.stderr.write(`${text}\n`),
};
for (const [id, measure] of Object.entries(SCENARIOS)) {
  if (options.only && !options.only.split(",").includes(id)) continue;
  process.stdout.write(textTables(await measure(run)));
}
