import { hasCoreForEach } from "../machine/cores.ts";

/** For scenarios that have Tollgate with one and with two processes. */
export const ABOUT_PROCESSES = hasCoreForEach(2)
  ? "`tollgate-2` has an owner process and two gateway processes on two cores; every other system has one core."
  : "`tollgate-2` has an owner process and two gateway processes, which share one core here, as the processes of every system do: compare its CPU per request with that of one process. Its throughput would need a core for each.";
