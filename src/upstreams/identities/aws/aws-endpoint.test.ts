import { expect, test } from "bun:test";
import { endpointOf } from "./aws-endpoint.ts";

test("each partition has its domain", () => {
  const regions = [
    "eu-central-1",
    "us-gov-west-1",
    "cn-northwest-1",
    "eusc-de-east-1",
    "us-iso-east-1",
    "us-isob-east-1",
    "us-isof-south-1",
  ];
  expect([...regions, "eu-isoe-west-1"].map((region) => endpointOf("sts", region))).toEqual([
    "https://sts.eu-central-1.amazonaws.com",
    "https://sts.us-gov-west-1.amazonaws.com",
    "https://sts.cn-northwest-1.amazonaws.com.cn",
    "https://sts.eusc-de-east-1.amazonaws.eu",
    "https://sts.us-iso-east-1.c2s.ic.gov",
    "https://sts.us-isob-east-1.sc2s.sgov.gov",
    "https://sts.us-isof-south-1.csp.hci.ic.gov",
    "https://sts.eu-isoe-west-1.cloud.adc-e.uk",
  ]);
});
