/** How a route is selected among the ready routes of a priority. `weighted` is the default: by weight, load, latency and failures. */
export const SELECTIONS = ["weighted", "exact", "least_busy", "lowest_latency", "lowest_cost"] as const;

export type Selection = (typeof SELECTIONS)[number];
