import { expect, test, vi } from "vitest";
import de from "../src/words/de";
import en from "../src/words/en";
import { scoreText } from "../src/show/values";
import { decimalsOf, formats, readNumber } from "../src/words/format";

const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((one) => one[1]).sort();

test("both dictionaries have the same keys and the same names in each text", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    expect([key, names(de[key])]).toEqual([key, names(en[key])]);
    expect(de[key].length, key).toBeGreaterThan(0);
  }
});

test("every counted text has both forms", () => {
  for (const key of Object.keys(en)) {
    if (key.endsWith(".one")) expect(en).toHaveProperty([key.replace(/one$/, "other")]);
  }
});

test("a number that is written in a locale is read back", () => {
  for (const locale of ["en", "de", "fr", "de-CH"]) {
    for (const value of [0, 7, -3, 12345.6, 1234567, 0.25]) {
      expect(readNumber(formats(locale).number(value, 2), locale)).toBe(value);
    }
    expect(readNumber("twelve", locale)).toBeNaN();
    expect(readNumber("", locale)).toBeNaN();
  }
});

test("the decimals of a step are the fewest that write it", () => {
  expect([1, 0.5, 0.05, 100, 1e-6, null].map(decimalsOf)).toEqual([0, 1, 2, 0, 6, 0]);
});

test("numbers of four digits have no separator, for they may be years", () => {
  expect(formats("en").number(2005)).toBe("2005");
  expect(formats("en").number(20050)).toBe("20,050");
  expect(formats("de").number(20050.5, 1)).toBe("20.050,5");
});

test("a score below the threshold never looks equal to it", () => {
  vi.stubGlobal("navigator", { languages: ["en"] });
  expect(scoreText(0.4996, true, 0.5)).toBe("49.96%");
  expect(scoreText(0.5, true, 0.5)).toBe("50%");
  expect(scoreText(0.19, true, 0.5)).toBe("19%");
  expect(scoreText(99999.7, false, 100000)).toBe("99,999.7");
});
