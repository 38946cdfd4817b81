import { ApiError } from "../../src/requests/api-error.ts";

/** The error of a sign-in. */
export async function failureOf(signingIn: Promise<unknown>): Promise<ApiError> {
  try {
    await signingIn;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("It succeeded.");
}
