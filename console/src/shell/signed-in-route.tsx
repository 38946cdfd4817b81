import { createRoute } from "@tanstack/react-router";
import { RequireSignIn } from "./require-sign-in.tsx";
import { rootRoute } from "./root-route.tsx";

/** The parent route of every page that requires sign-in. */
export const signedInRoute = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: RequireSignIn });
