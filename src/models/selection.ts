/** How a route is selected among those of a priority that are ready. `weighted` is the default: by weight, and by load, latency and failures. */
export const SELECTIONS = ["weighted", "exact", "least_busy", "lowest_latency", "lowest_cost"] as const;

export type Selection = (typeof SELECTIONS)[number];
