import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { chooseRoute, sortRoutes, type Served } from "../routing/choose-route.ts";
import type { Target } from "../routing/route-choice.ts";
import type { Gateway } from "../gateway.ts";
import type { Unfit } from "../routing/route-candidates.ts";

/** Where a request would go: the routes in the order in which they would be tried, and those that would not be. */
export interface RoutePlan {
  readonly order: readonly Target[];
  readonly unfit: readonly Unfit[];
  /** What the caller would hear, where nothing can serve it. */
  readonly refusal: GatewayError | undefined;
}

/** Asks the choice for one route after the other, as if each had failed. What is drawn by chance may be drawn otherwise next time. */
export function planRoutes(chat: ChatRequest, served: Served, gateway: Gateway): RoutePlan {
  const sorted = sortRoutes(chat, served, gateway);
  const order: Target[] = [];
  try {
    const choice = chooseRoute(chat, served, gateway, sorted);
    for (let target = choice.next(); target; target = choice.next()) {
      order.push(target);
      choice.failed(target, "route");
    }
  } catch (error) {
    if (error instanceof GatewayError) return { order, unfit: sorted.unfit, refusal: error };
    throw error;
  }
  return { order, unfit: sorted.unfit, refusal: undefined };
}
