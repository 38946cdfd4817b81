import { expect, test } from "bun:test";
import { endpointOf } from "./aws-endpoint.ts";

test("each partition has its domain", () => {
  expect(["eu-central-1", "us-gov-west-1", "cn-northwest-1"].map((region) => endpointOf("sts", region))).toEqual([
    "https://sts.eu-central-1.amazonaws.com",
    "https://sts.us-gov-west-1.amazonaws.com",
    "https://sts.cn-northwest-1.amazonaws.com.cn",
  ]);
});
