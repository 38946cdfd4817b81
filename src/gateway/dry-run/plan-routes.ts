import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Gateway } from "../gateway.ts";
import { candidatesFor, chooseRoute, type RoutedAdmission } from "../routing/choose-route.ts";
import type { ExcludedRoute } from "../routing/route-candidates.ts";
import type { Target } from "../routing/route-choice.ts";

/** The routes in the order of the attempts, and those that are excluded. */
export interface RoutePlan {
  readonly order: readonly Target[];
  readonly excluded: readonly ExcludedRoute[];
  /** The error that the client would receive, where no route can serve the request. */
  readonly error: ApiError | undefined;
}

/** Takes one target after the other from the choice, as if each had failed. A random draw may differ the next time. */
export function planRoutes(chat: ChatRequest, admission: RoutedAdmission, gateway: Gateway): RoutePlan {
  const found = candidatesFor(chat, admission, gateway);
  const { excluded } = found;
  const order: Target[] = [];
  try {
    const choice = chooseRoute(chat, admission, gateway, found, true);
    for (let target = choice.next(); target; target = choice.next()) {
      order.push(target);
      choice.exclude(target, "route");
    }
  } catch (error) {
    if (error instanceof ApiError) return { order, excluded, error };
    throw error;
  }
  return { order, excluded, error: undefined };
}
