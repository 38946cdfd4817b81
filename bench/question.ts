/** What callers of benches ask: a small request, as most are. */
export const QUESTION = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "Say something nice about gateways, in at most two sentences." },
];
