/**
 * Loaded into a gateway before all other code, to replace the machine's resolver. FAKE_NAMES has the answers for each name, one after the
 * other. The last answer is repeated forever.
 */
import dns from "node:dns/promises";

const answers = new Map(Object.entries(JSON.parse(process.env["FAKE_NAMES"] ?? "{}") as Record<string, string[][]>));

Object.assign(dns, {
  lookup(name: string): Promise<{ address: string }[]> {
    const left = answers.get(name);
    const answer = left && left.length > 1 ? left.shift() : left?.[0];
    if (!answer) return Promise.reject(new Error(`there is no fake answer for ${name}`));
    return Promise.resolve(answer.map((address) => ({ address })));
  },
});
