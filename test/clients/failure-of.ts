/** The error of a rejected promise. A promise that is fulfilled fails the test. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  const isKept = Symbol("kept");
  const outcome = await promise.then(
    () => isKept,
    (thrown: unknown) => thrown,
  );
  if (outcome === isKept) throw new Error("It should have failed, and did not.");
  return outcome;
}
