import { GatewayError } from "../../src/requests/gateway-error.ts";

/** What signing in failed with. */
export async function failureOf(signingIn: Promise<unknown>): Promise<GatewayError> {
  try {
    await signingIn;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("It succeeded.");
}
