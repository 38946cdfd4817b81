import { expect, test } from "bun:test";
import { Secret } from "../../lib/secret/secret.ts";
import { prepareSignIn } from "./sign-in.ts";

const VALUE = new Secret("value");

test("with TLS, cookies are sent only by TLS, and no neighbouring host can set them", () => {
  const { sessionCookie, pendingCookie } = prepareSignIn(new URL("https://a.test"), undefined);
  expect(sessionCookie.set(VALUE)).toBe("__Host-tollgate=value; Secure; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800");
  expect(pendingCookie.set(VALUE)).toBe("__Host-tollgate-oidc=value; Secure; Path=/; HttpOnly; SameSite=Lax; Max-Age=600");
});

test("without TLS, on this machine, they are as strict as possible", () => {
  const { sessionCookie, pendingCookie } = prepareSignIn(undefined, undefined);
  expect(sessionCookie.set(VALUE)).toBe("tollgate_session=value; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800");
  expect(pendingCookie.set(VALUE)).toBe("tollgate_oidc=value; Path=/api/sign-in/oidc; HttpOnly; SameSite=Lax; Max-Age=600");
});

test("under a path their name includes it: gateways on one host do not share cookies", () => {
  const secure = prepareSignIn(new URL("https://a.test/tools/tollgate"), undefined);
  expect(secure.sessionCookie.set(VALUE)).toStartWith("__Host-tollgate.tools.tollgate=value; Secure; Path=/; ");
  const plain = prepareSignIn(new URL("http://localhost/tollgate/"), undefined);
  expect(plain.pendingCookie.set(VALUE)).toStartWith("tollgate_oidc.tollgate=value; Path=/tollgate/api/sign-in/oidc; ");
});

test("a cookie is found among others by its full name only", () => {
  const { sessionCookie } = prepareSignIn(new URL("https://a.test"), undefined);
  const read = (cookie: string): string | undefined => sessionCookie.read(new Request("http://a.test", { headers: { cookie } }));
  expect(read("a=b; __Host-tollgate=value; c=d")).toBe("value");
  expect(read("tollgate=value; x__Host-tollgate=value; __Host-tollgate-oidc=value")).toBeUndefined();
  expect(read("")).toBeUndefined();
});
