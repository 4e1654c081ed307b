// What the service's transport makes of replies that are cut short.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { service } from "../src/transport/service";
import { isAborted, Refused } from "../src/transport/transport";

beforeEach(() => {
  vi.stubGlobal("location", { hash: "", pathname: "/", search: "" });
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => undefined });
});
afterEach(() => vi.unstubAllGlobals());

function replies(status: number, json: () => Promise<unknown>): void {
  vi.stubGlobal("fetch", async () => ({ ok: status < 400, status, json }));
}

test("a request that is given up while its reply is read is no answer", async () => {
  const asked = new AbortController();
  replies(200, async () => {
    asked.abort();
    throw asked.signal.reason;
  });
  const failed = await service("").ask("model", {}, { signal: asked.signal }).catch((error: unknown) => error);
  expect(isAborted(failed)).toBe(true);
});

test.each([200, 502])("a reply that is no JSON is a refusal (%i)", async (status) => {
  replies(status, async () => {
    throw new SyntaxError("Unexpected token '<'");
  });
  const failed = await service("").ask("model", {}).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Refused);
});
