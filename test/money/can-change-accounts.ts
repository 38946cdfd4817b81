import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** Whether this build's platform has an endpoint that changes an account's rate limits and spend caps. */
export async function canChangeAccounts({ platformUrl, operatorToken }: RunningGateway): Promise<boolean> {
  const { status } = await fetch(`${platformUrl}/api/accounts/default`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: "{}",
  });
  return status !== 404 && status !== 405;
}
