/**
 * The test suite that AWS publishes for Signature Version 4 ("Signature Version 4 Test Suite", AWS General Reference; today in
 * awslabs/aws-c-auth, tests/aws-signing-test-suite), as far as our requests can express it. The cases that encode the path once, as S3
 * does, and the cases with a repeated header are not included.
 */
export interface SigningVector {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signedHeaders: string;
  readonly signature: string;
}

export const VECTOR_SCOPE = { region: "us-east-1", service: "service", atMs: Date.parse("2015-08-30T12:36:00Z") };
export const VECTOR_HOST = "example.amazonaws.com";
export const VECTOR_KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

const UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = "application/x-www-form-urlencoded";
/** The path of the cases about normalization, which all mean the same request. */
const VANILLA_GET = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
const VANILLA_POST = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b";
export const VECTOR_SESSION_TOKEN =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

const get = (name: string, target: string, signature: string): SigningVector => ({
  name,
  method: "GET",
  target,
  signedHeaders: "host;x-amz-date",
  signature,
});
const post = (name: string, target: string, signature: string): SigningVector => ({ ...get(name, target, signature), method: "POST" });
const withHeader = (vector: SigningVector, headers: Record<string, string>): SigningVector => ({
  ...vector,
  headers,
  signedHeaders: ["host", "x-amz-date", ...Object.keys(headers).map((name) => name.toLowerCase())].toSorted().join(";"),
});
const form = (name: string, type: string, signature: string): SigningVector => ({
  ...withHeader(post(name, "/", signature), { "content-type": type }),
  body: "Param1=value1",
});

export const SIGNING_VECTORS: readonly SigningVector[] = [
  get("get-vanilla", "/", VANILLA_GET),
  get("get-vanilla-query", "/?", VANILLA_GET),
  get("get-relative-normalized", "/example/..", VANILLA_GET),
  get("get-relative-relative-normalized", "/example1/example2/../..", VANILLA_GET),
  get("get-slash-normalized", "//", VANILLA_GET),
  get("get-slash-dot-slash-normalized", "/./", VANILLA_GET),
  get("get-unreserved", `/${UNRESERVED}`, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
  get("get-vanilla-empty-query-key", "/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
  get(
    "get-vanilla-query-order-key-case",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ),
  get("get-vanilla-query-unreserved", `/?${UNRESERVED}=${UNRESERVED}`, "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
  get("get-vanilla-utf8-query", "/?%E1%88%B4=bar", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
  withHeader(get("get-header-key-duplicate", "/", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"), {
    "My-Header1": "value2,value2,value1",
  }),
  withHeader(get("get-header-value-order", "/", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"), {
    "My-Header1": "value4,value1,value3,value2",
  }),
  withHeader(get("get-header-value-trim", "/", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"), {
    "My-Header1": " value1",
    "My-Header2": ' "a   b   c"',
  }),
  post("post-vanilla", "/", VANILLA_POST),
  post("post-vanilla-query", "/?Param1=value1", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
  withHeader(post("post-header-key-sort", "/", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"), {
    "My-Header1": "value1",
  }),
  withHeader(post("post-header-value-case", "/", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"), {
    "My-Header1": "VALUE1",
  }),
  form("post-x-www-form-urlencoded", FORM, "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
  form(
    "post-x-www-form-urlencoded-parameters",
    `${FORM}; charset=utf8`,
    "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe",
  ),
];

/** The case with a session token, which the signer adds. */
export const SESSION_VECTOR: SigningVector = {
  ...post("post-sts-header-before", "/", "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
  signedHeaders: "host;x-amz-date;x-amz-security-token",
};
