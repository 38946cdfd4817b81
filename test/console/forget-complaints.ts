/** Runs before each test file (bunfig.toml): a page may be open in several tests, and an error in one test must not fail the next. */
import { beforeEach } from "bun:test";
import { forgetComplaints } from "./complaints.ts";

beforeEach(forgetComplaints);
