import { hasCoreForEach } from "../machine/cores.ts";

/** For scenarios that have Tollgate with one and with two processes. */
export const ABOUT_PROCESSES = hasCoreForEach(2)
  ? "`tollgate-2` has an owner process and two gateway processes on two cores; every other system has one core."
  : "`tollgate-2` has an owner process and two gateway processes, which may use all cores here, including the core of the load; every other system has one core. Compare its CPU per request with the figure of one process. Its throughput is limited by the load beside it.";
