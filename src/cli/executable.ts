/** The single executable contains both programs. Only the program that is called is loaded. */
import { GATEWAY_PROCESS } from "../main/processes/process-argument.ts";

/** The same variable as in bin/tollgate. JavaScriptCore reads it before the first line of a program. */
const HEAP_GROWTH = "BUN_JSC_heapGrowthMaxIncrease";

const args = process.argv.slice(2);
const isHelp = args.some((word) => word === "--help" || word === "-h");

if (args[0] === GATEWAY_PROCESS) {
  void import("./start.ts");
} else if (args[0] !== "start" || isHelp) {
  void import("./cli.ts");
} else {
  // Executes this program again in the same process (same process ID), which takes 7 ms. Gateway processes inherit the variable.
  if (!process.env[HEAP_GROWTH]) process.execve!(process.execPath, [process.execPath, ...args], { ...process.env, [HEAP_GROWTH]: "1" });
  void import("./start.ts");
}
