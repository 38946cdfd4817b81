import { GatewayError } from "../../src/requests/api-error.ts";

/** The error of a sign-in. */
export async function failureOf(signingIn: Promise<unknown>): Promise<GatewayError> {
  try {
    await signingIn;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("It succeeded.");
}
