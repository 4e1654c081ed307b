import { expect, test } from "vitest";
import { readFragment, unpack, writeFragment } from "../src/app/fragment";
import { takeToken } from "../src/transport/service";

test("a state is read back from the address it was written to", () => {
  for (const state of [{ row: { a: 1, b: "ü\u202e<b>", c: null } }, { list: [1.5, true], text: "x".repeat(10000) }]) {
    for (const screen of ["", "analyst"]) {
      const fragment = writeFragment({ screen, state });
      expect(fragment).toMatch(/^#[\w&=-]+$/);
      expect(readFragment(fragment)).toEqual({ screen, state });
    }
  }
});

test("a damaged address is no state", () => {
  for (const text of ["!", "YQ", "eyJ", "%00"]) expect(unpack(text)).toBeNull();
});

test("a token is taken out of the address", () => {
  expect(takeToken("#token=a%20b&s=xyz")).toEqual({ token: "a b", rest: "s=xyz" });
  expect(takeToken("#analyst")).toEqual({ token: "", rest: "analyst" });
});
