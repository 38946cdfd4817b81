/** What a promise is rejected with, for a closer look. A promise that is kept fails the test. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  const isKept = Symbol("kept");
  const outcome = await promise.then(
    () => isKept,
    (thrown: unknown) => thrown,
  );
  if (outcome === isKept) throw new Error("It should have failed, and did not.");
  return outcome;
}
