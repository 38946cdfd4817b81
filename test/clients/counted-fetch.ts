/** fetch, and a count of the requests made by it: a client's own retries show in it. */
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
