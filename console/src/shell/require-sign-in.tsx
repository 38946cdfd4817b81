import { Outlet } from "@tanstack/react-router";
import { Activity, type ReactNode } from "react";
import { isUnauthenticated } from "../platform/call.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { Failed } from "../parts/states.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { Layout } from "./layout.tsx";
import { MeContext } from "./me.ts";
import { SignIn } from "./sign-in.tsx";

/** Shows the page when signed in, otherwise the sign-in form at the same URL, so that signing in returns to the page. */
export function RequireSignIn(): ReactNode {
  const { data: me, error, refetch } = useApiQuery("showMe", {});
  const isSignedOut = isUnauthenticated(error);
  if (!me && isSignedOut) return <SignIn />;
  if (!me && error) return <Failed error={error} retry={() => void refetch()} />;
  if (!me) return null;
  return (
    <>
      {isSignedOut && <SignIn isExpired={me.person !== null} />}
      {/* When the session expires the page is hidden, not unmounted: after signing in again, unsaved input is still there. */}
      <Activity key={me.person?.id} mode={isSignedOut ? "hidden" : "visible"}>
        <MeContext value={me}>
          <Layout>
            <OperatorsOnly>
              <Outlet />
            </OperatorsOnly>
          </Layout>
        </MeContext>
      </Activity>
    </>
  );
}
