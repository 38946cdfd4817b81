/** A client that opens one connection after the other, each for one small request, and prints the number of correct responses. */
import { argv } from "node:process";

const [url, count] = argv.slice(2) as [string, string];

let right = 0;
for (let left = Number(count); left > 0; left--) {
  const response = await fetch(url, { keepalive: false, headers: { connection: "close" } });
  if ((await response.text()) === '{"status":"ok"}') right++;
}
process.stdout.write(`${JSON.stringify({ right })}\n`);
