/** The small request of the benchmarks. */
export const QUESTION = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "Say something nice about gateways, in at most two sentences." },
];
