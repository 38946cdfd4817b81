import { createRoute, Outlet, Link, useMatchRoute } from "@tanstack/react-router";
import { rootRoute } from "./root-route.tsx";
import { Activity, type ReactNode } from "react";
import { isUnauthenticated } from "../platform/call.ts";
import { useApiQuery, useApiMutation } from "../platform/use-api.ts";
import { Failed, Empty } from "../parts/states.tsx";
import { Layout } from "./layout.tsx";
import { MeContext, useMe } from "./me.ts";
import { buttonClass, Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { NAVIGATION } from "./navigation.ts";
import { base } from "../platform/base.ts";
import { TextField } from "../parts/inputs/field.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { Notice } from "../parts/notice.tsx";
import { textLink } from "../parts/text-link.ts";
import { SignedOutPage } from "./signed-out-page.tsx";

/** The parent route of every page that requires sign-in. */
export const signedInRoute = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: RequireSignIn });

/** Shows the page when signed in, otherwise the sign-in form at the same URL, so that signing in returns to the page. */
function RequireSignIn(): ReactNode {
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

const OPERATOR_PAGES = NAVIGATION.flatMap(({ items }) => items).filter(({ isForOperators }) => isForOperators);

/** Shows a notice to members on operator pages, whose API calls would all return 403. */
function OperatorsOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const { isOperator } = useMe();
  const matches = useMatchRoute();
  const operatorPage = isOperator ? undefined : OPERATOR_PAGES.find(({ to }) => matches({ to, fuzzy: true }) !== false);
  if (!operatorPage) return children;
  return (
    <Page title={operatorPage.label}>
      <Empty
        title="This page is for operators"
        action={
          <Link to="/" className={buttonClass()}>
            Go to overview
          </Link>
        }
      >
        You are a member of one account. Ask an operator for access.
      </Empty>
    </Page>
  );
}

/** Messages for the error codes that the OpenID Connect callback puts into the URL fragment. */
const PROVIDER_ERRORS: Record<string, string> = {
  sign_in_failed: "Sign-in failed. You may not have been invited yet.",
  no_upstream_available: "The sign-in provider cannot be reached. Try again later.",
  upstream_error: "The sign-in provider's configuration does not match Tollgate's. Contact an operator.",
};

interface SignInProps {
  /** Whether the session has expired. The page stays mounted behind the form. */
  readonly isExpired?: boolean;
}

/** The sign-in form. */
function SignIn({ isExpired = false }: SignInProps): ReactNode {
  const { data: methods } = useApiQuery("listSignInMethods", {});
  const signIn = useApiMutation("signIn");
  const problem = signIn.error?.message ?? PROVIDER_ERRORS[location.hash.slice(1)];
  return (
    <SignedOutPage title="Sign in">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate({ body: formFields(event.currentTarget, "email", "password") });
        }}
      >
        {isExpired && <Notice>Your session has expired. Sign in again to continue on the same page: what you have entered is kept.</Notice>}
        <TextField label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        {problem && <Notice tone="bad">{problem}</Notice>}
        <Button type="submit" weight="primary" busy={signIn.isPending}>
          Sign in
        </Button>
        {methods?.oidc && (
          <a className={buttonClass()} href={`${base}/api/sign-in/oidc`}>
            Sign in with SSO
          </a>
        )}
        <p className="text-sm text-ink-3">Forgot your password? Ask an operator for a new link.</p>
        <p className="text-sm text-ink-3">
          With an API key you need no account:{" "}
          <a className={textLink} href={`${base}/key`}>
            see its usage
          </a>
          .
        </p>
      </form>
    </SignedOutPage>
  );
}
