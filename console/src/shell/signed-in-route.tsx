import { createRoute } from "@tanstack/react-router";
import { RequireSignIn } from "./require-sign-in.tsx";
import { rootRoute } from "./root-route.tsx";

/** The parent of every page that one has to be signed in for. */
export const signedInRoute = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: RequireSignIn });
