/** A fetch that counts its requests, which shows a client's own retries. */
export function createCountedFetch(): typeof fetch & { sent: number } {
  const counted = Object.assign(
    (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
      counted.sent++;
      return fetch(url, init);
    },
    { preconnect: fetch.preconnect, sent: 0 },
  );
  return counted;
}
